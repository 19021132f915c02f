import assert from 'node:assert/strict';
import { JsonNumber, type JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

const schema = loadSchema();

/** Spaces and `|` in the byte columns only make them easier to read. A text in quotes stands for its bytes. */
function bytes(text: string): Buffer {
  const parts = text.match(/"[^"]*"|[0-9a-f]{2}/g) ?? [];
  return Buffer.concat(
    parts.map((part) => (part[0] === '"' ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, 'hex'))),
  );
}

/** A table for both directions. The object is in canonical form. */
const table: [name: string, message: string, object: JsonObject, wire: string][] = [
  [
    'values without presence are written when zero',
    'core.v1.ObjectReference',
    { name: 'a' },
    '0a 00 | 12 00 | 1a 01 "a" | 22 00 | 2a 00 | 32 00 | 3a 00',
  ],
  [
    'values with presence are written when set, even to zero',
    'apps.v1.RollingUpdateStatefulSetStrategy',
    { partition: 0 },
    '08 00',
  ],
  ['an int-or-string: integer', 'core.v1.TCPSocketAction', { port: 80 }, '0a 06 08 00 10 50 1a 00 | 12 00'],
  ['an int-or-string: string', 'core.v1.TCPSocketAction', { port: 'http' }, '0a 0a 08 01 10 00 1a 04 "http" | 12 00'],
  [
    'negative int32 takes ten bytes',
    'core.v1.TCPSocketAction',
    { port: -1 },
    '0a 0f 08 00 10 ff ff ff ff ff ff ff ff ff 01 1a 00 | 12 00',
  ],
  [
    'quantities are written in maps with sorted keys',
    'core.v1.ResourceRequirements',
    { limits: { cpu: '1', memory: '2Gi' } },
    '0a 0a 0a 03 "cpu" 12 03 0a 01 "1" | 0a 0f 0a 06 "memory" 12 05 0a 03 "2Gi"',
  ],
  [
    'times are written in seconds, the zero time as an empty message',
    'core.v1.ContainerStateTerminated',
    { exitCode: 1, startedAt: '1970-01-01T00:00:05Z', finishedAt: null },
    '08 01 | 10 00 | 1a 00 | 22 00 | 2a 04 08 05 10 00 | 32 00 | 3a 00',
  ],
  [
    'micro-times have nanoseconds',
    'coordination.v1.LeaseSpec',
    { acquireTime: '1970-01-01T00:00:01.000002Z' },
    '1a 05 08 01 10 d0 0f',
  ],
  [
    'bytes are base64',
    'core.v1.Secret',
    { metadata: { creationTimestamp: null }, data: { k: 'aGk=' } },
    '0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00 | 12 07 0a 01 "k" 12 02 "hi" | 1a 00',
  ],
  [
    'inline messages are written as messages',
    'core.v1.ConfigMapEnvSource',
    { name: 'n', optional: true },
    '0a 03 0a 01 "n" | 10 01',
  ],
  [
    'an int64 beyond 2^53 keeps its digits',
    'storage.v1.TokenRequest',
    { audience: '', expirationSeconds: new JsonNumber('9223372036854775807') },
    '0a 00 | 10 ff ff ff ff ff ff ff ff 7f',
  ],
  [
    'an int64 can be spelled with an exponent',
    'storage.v1.TokenRequest',
    { audience: '', expirationSeconds: 626_215_693_877_608_300 },
    '0a 00 | 10 ec fe e5 92 b1 fb b0 d8 08',
  ],
  [
    'free-form JSON is written as its text',
    'meta.v1.ManagedFieldsEntry',
    { manager: 'm', fieldsV1: { 'f:a': {} } },
    '0a 01 "m" | 12 00 | 1a 00 | 32 00 | 3a 0c 0a 0a 7b 22 "f:a" 22 3a 7b 7d 7d | 42 00',
  ],
  [
    'a list of strings can be a message',
    'certificates.v1.CertificateSigningRequestSpec',
    { request: null, signerName: 's', usages: ['any'], extra: { k: ['a', 'b'] } },
    '12 00 | 1a 00 | 2a 03 "any" | 32 0b 0a 01 "k" 12 06 0a 01 "a" 0a 01 "b" | 3a 01 "s"',
  ],
];

describe('encodeMessage', () => {
  for (const [name, message, object, wire] of table) {
    it(name, () => {
      const type = schema.message(message);
      assert.equal(encodeMessage(type, object).toString('hex'), bytes(wire).toString('hex'));
      assert.deepEqual(decodeMessage(type, bytes(wire)), object);
    });
  }

  it('returns a separate buffer for each message, even after a message that cannot be encoded', () => {
    const type = schema.message('core.v1.TCPSocketAction');
    const first = encodeMessage(type, { port: 1 });
    const broken = {
      port: 1,
      get host(): string {
        throw new Error('broken');
      },
    };
    assert.throws(() => encodeMessage(type, broken), /broken/);
    const second = encodeMessage(type, { port: 2 });
    assert.deepEqual([first.buffer.byteLength, first[5], second[5]], [first.length, 1, 2]);
  });
});
