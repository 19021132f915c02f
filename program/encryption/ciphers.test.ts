import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import type { Cipher } from './cipher.ts';
import { secretbox } from './secretbox.ts';

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

const PATH = Buffer.from('/registry/core/secrets/default/one');
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7 + 1));

const CIPHERS: readonly [name: string, cipher: Cipher, authenticates: boolean, bindsPath: boolean][] = [
  ['aesgcm with 16 bytes', aesGcm(KEY.subarray(0, 16)), true, true],
  ['aesgcm with 24 bytes', aesGcm(KEY.subarray(0, 24)), true, true],
  ['aesgcm with 32 bytes', aesGcm(KEY), true, true],
  ['secretbox', secretbox(KEY), true, false],
  ['aescbc with 16 bytes', aesCbc(KEY.subarray(0, 16)), false, false],
  ['aescbc with 32 bytes', aesCbc(KEY), false, false],
];

const FOR_5_S = { interruptAfterTimeLimit: 5000, numRuns: 200 };

describe('ciphers for stored values', function () {
  this.timeout(60_000);

  it('open a value sealed by AES-GCM: test case 16 of its specification', () => {
    const key = hex('feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308');
    const nonce = hex('cafebabefacedbaddecaf888');
    const path = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2');
    const sealed = hex(
      '522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa 8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662',
    );
    const tag = hex('76fc6ece0f4e1768cddf8853bb2d551b');
    const plain = hex(
      'd9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72 1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39',
    );
    assert.deepEqual(aesGcm(key).open(Buffer.concat([nonce, sealed, tag]), path), plain);
  });

  it('open a value sealed by AES-CBC: F.2.5 of NIST SP 800-38A with the padding of RFC 5652', () => {
    const key = hex('603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4');
    const vector = hex('000102030405060708090a0b0c0d0e0f');
    const first = hex('f58c4c04d6e5f1ba779eabfb5f7bfbd6');
    const block = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    const padding = block.update(first.map((byte) => byte ^ 16));
    const plain = hex('6bc1bee22e409f96e93d7e117393172a');
    assert.deepEqual(aesCbc(key).open(Buffer.concat([vector, first, padding]), PATH), plain);
  });

  it('open a value sealed by secretbox: the example of "Cryptography in NaCl"', () => {
    const key = hex('1b27556473e985d462cd51197a9a46c7 6009549eac6474f206c4ee0844f68389');
    const nonce = hex('69696ee955b62b73cd62bda875fc73d6 8219e0036b7a0b37');
    const sealed = hex(
      'f3ffc7703f9400e52a7dfb4b3d3305d9 8e993b9f48681273c29650ba32fc76ce 48332ea7164d96a4476fb8c531a1186a c0dfc17c98dce87b4da7f011ec48c972 71d2c20f9b928fe2270d6fb863d51738 b48eeee314a7cc8ab932164548e526ae 90224368517acfeabd6bb3732bc0e9da 99832b61ca01b6de56244a9e88d5f9b3 7973f622a43d14a6599b1f654cb45a74 e355a5',
    );
    const plain = hex(
      'be075fc53c81f2d5cf141316ebeb0c7b 5228c52a4c62cbd44b66849b64244ffc e5ecbaaf33bd751a1ac728d45e6c6129 6cdc3c01233561f41db66cce314adb31 0e3be8250c46f06dceea3a7fa1348057 e2f6556ad6b1318a024a838f21af1fde 048977eb48f59ffd4924ca1c60902e52 f0a089bc76897040e082f93776384864 5e0705',
    );
    assert.deepEqual(secretbox(key).open(Buffer.concat([nonce, sealed]), PATH), plain);
  });

  for (const [name, cipher, authenticates, bindsPath] of CIPHERS) {
    it(`return the original value, and seal it differently each time: ${name}`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
          const plain = Buffer.from(bytes);
          const sealed = Buffer.from(cipher.seal(plain, PATH) as Buffer);
          assert.deepEqual(cipher.open(sealed, PATH), plain);
          assert.notDeepEqual(cipher.seal(plain, PATH), sealed);
        }),
        FOR_5_S,
      );
    });

    it(`${authenticates ? 'refuse' : 'do not return the original of'} a value with one changed bit: ${name}`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.nat(), fc.nat(7), (bytes, place, bit) => {
          const plain = Buffer.from(bytes);
          const sealed = Buffer.from(cipher.seal(plain, PATH) as Buffer);
          sealed[place % sealed.length]! ^= 1 << bit;
          if (authenticates) assert.throws(() => cipher.open(sealed, PATH), { name: 'NotOpenedError' });
          else {
            let opened: unknown;
            try {
              opened = cipher.open(sealed, PATH);
            } catch {
              return;
            }
            assert.notDeepEqual(opened, plain);
          }
        }),
        FOR_5_S,
      );
    });

    it(`refuse a truncated value: ${name}`, () => {
      const sealed = cipher.seal(Buffer.from('a secret'), PATH) as Buffer;
      for (let length = 0; length < sealed.length; length++)
        assert.throws(() => cipher.open(sealed.subarray(0, length), PATH), { name: 'NotOpenedError' });
    });

    it(`${bindsPath ? 'refuse' : 'open'} a value that was moved to another path: ${name}`, () => {
      const sealed = cipher.seal(Buffer.from('a secret'), PATH) as Buffer;
      const open = () => cipher.open(sealed, Buffer.from('/registry/core/secrets/default/two'));
      if (bindsPath) assert.throws(open, { name: 'NotOpenedError', message: /moved/ });
      else assert.deepEqual(open(), Buffer.from('a secret'));
    });
  }
});
