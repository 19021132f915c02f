import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { type Cipher, NotOpenedError } from './cipher.ts';

const NONCE = 24;
const TAG = 16;

/**
 * XSalsa20 and Poly1305 as NaCl's `crypto_secretbox` combines them (https://nacl.cr.yp.to/secretbox.html): nonce, tag,
 * ciphertext. The path is not authenticated: that is how the format is. `key` has 32 bytes.
 */
export function secretbox(key: Buffer): Cipher {
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
    },
    open(sealed) {
      if (sealed.length < NONCE + TAG) throw new NotOpenedError('it is too short');
      try {
        const plain = xsalsa20poly1305(key, sealed.subarray(0, NONCE)).decrypt(sealed.subarray(NONCE));
        return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
      } catch {
        throw new NotOpenedError('the key is another one, or the value was changed');
      }
    },
  };
}
