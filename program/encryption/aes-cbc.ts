import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { type Cipher, NotOpenedError } from './cipher.ts';

const BLOCK = 16;

/**
 * AES in cipher block chaining mode (NIST SP 800-38A) with the padding of PKCS #7 (RFC 5652, 6.3): initialization
 * vector, ciphertext. The format authenticates neither the value nor the path. `secret` has 16, 24 or 32 bytes.
 */
export function aesCbc(secret: Buffer): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  const key = createSecretKey(secret);
  return {
    seal(plain) {
      const vector = randomBytes(BLOCK);
      const cipher = createCipheriv(algorithm, key, vector);
      return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
    },
    open(sealed) {
      if (sealed.length < 2 * BLOCK) throw new NotOpenedError('it is too short');
      if (sealed.length % BLOCK !== 0) throw new NotOpenedError('it does not consist of whole blocks');
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, BLOCK));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(BLOCK)), decipher.final()]);
      } catch {
        throw new NotOpenedError('the key is another one, or the value was changed');
      }
    },
  };
}
