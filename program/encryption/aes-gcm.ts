import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { type Cipher, NotOpenedError } from './cipher.ts';
import { nonces } from './nonces.ts';

/** Bytes of a nonce and of a tag, as NIST SP 800-38D recommends them. */
const NONCE = 12;
const TAG = 16;

const nonce = nonces(NONCE);

/**
 * AES in Galois/Counter mode (NIST SP 800-38D): nonce, ciphertext, tag, with the path as additional authenticated data.
 * Nonces are random, so a key must not encrypt more than 2^32 values. `secret` has 16, 24 or 32 bytes.
 */
export function aesGcm(secret: Buffer): Cipher {
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm';
  // If the key were given as bytes, the library would prepare it for each value, which takes five times as long as the
  // encryption.
  const key = createSecretKey(secret);
  return {
    seal(plain, path) {
      const random = nonce();
      const cipher = createCipheriv(algorithm, key, random);
      cipher.setAAD(path);
      const sealed = Buffer.allocUnsafe(NONCE + plain.length + TAG);
      random.copy(sealed);
      cipher.update(plain).copy(sealed, NONCE);
      cipher.final();
      cipher.getAuthTag().copy(sealed, NONCE + plain.length);
      return sealed;
    },
    open(sealed, path) {
      if (sealed.length < NONCE + TAG) throw new NotOpenedError('it is too short');
      const end = sealed.length - TAG;
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(path);
      decipher.setAuthTag(sealed.subarray(end));
      const plain = decipher.update(sealed.subarray(NONCE, end));
      try {
        decipher.final();
      } catch {
        throw new NotOpenedError('the key is another one, the value was changed, or it was moved to another place');
      }
      return plain;
    },
  };
}
