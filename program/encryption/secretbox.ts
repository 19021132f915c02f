import { timingSafeEqual } from 'node:crypto';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { type Cipher, NotOpenedError } from './cipher.ts';
import { nonces } from './nonces.ts';

const NONCE = 24;
const TAG = 16;
/** The first bytes of the key stream are the key of the tag. */
const TAG_KEY = 32;

const nonce = nonces(NONCE);

/**
 * XSalsa20 and Poly1305 as NaCl's `crypto_secretbox` combines them (https://nacl.cr.yp.to/secretbox.html): nonce, tag,
 * ciphertext. The format does not authenticate the path. `key` has 32 bytes. This code combines the two itself, so that
 * it reads each value once and writes it directly to its place.
 */
export function secretbox(key: Buffer): Cipher {
  return {
    seal(plain) {
      const begin = NONCE + TAG;
      const sealed = Buffer.allocUnsafe(begin + plain.length);
      const stream = sealed.subarray(begin - TAG_KEY).fill(0, 0, TAG_KEY);
      stream.set(plain, TAG_KEY);
      const random = nonce();
      xsalsa20(key, random, stream, stream);
      sealed.set(poly1305(stream.subarray(TAG_KEY), stream.subarray(0, TAG_KEY)), NONCE);
      sealed.set(random);
      return sealed;
    },
    open(sealed) {
      const begin = NONCE + TAG;
      if (sealed.length < begin) throw new NotOpenedError('it is too short');
      const text = sealed.subarray(begin);
      const stream = Buffer.allocUnsafe(TAG_KEY + text.length).fill(0, 0, TAG_KEY);
      stream.set(text, TAG_KEY);
      xsalsa20(key, sealed.subarray(0, NONCE), stream, stream);
      const tag = poly1305(text, stream.subarray(0, TAG_KEY));
      // decrypted bytes are returned only if the tag is right
      if (!timingSafeEqual(tag, sealed.subarray(NONCE, begin)))
        throw new NotOpenedError('the key is another one, or the value was changed');
      return stream.subarray(TAG_KEY);
    },
  };
}
