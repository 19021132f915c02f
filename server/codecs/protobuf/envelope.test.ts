import assert from 'node:assert/strict';
import protobuf from 'protobufjs';
import { StatusError } from '#base/errors/status-error.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { isEnvelope, unwrap, wrap } from './envelope.ts';
import { watchFrame } from './frame.ts';
import { listChunks } from './list.ts';

const schema = loadSchema();
const wrapped = '6b387300 0a09 0a027631 1203506f64 1202 0102 1a00 2200'.replaceAll(' ', '');

describe('wrap', () => {
  it('puts the magic bytes and the envelope around a message', () => {
    assert.equal(wrap('v1', 'Pod', Uint8Array.of(1, 2)).toString('hex'), wrapped);
  });

  it('is reversed by unwrap', () => {
    assert.deepEqual(unwrap(Buffer.from(wrapped, 'hex')), {
      apiVersion: 'v1',
      kind: 'Pod',
      raw: Buffer.of(1, 2),
      contentEncoding: '',
      contentType: '',
    });
  });
});

describe('unwrap', () => {
  const table: [name: string, bytes: string][] = [
    ['an empty body', ''],
    ['JSON', Buffer.from('{"kind":"Pod"}').toString('hex')],
    ['a cut envelope', wrapped.slice(0, 20)],
    ['a length beyond the end', '6b38730012ff01'],
  ];
  for (const [name, bytes] of table) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => unwrap(Buffer.from(bytes, 'hex')),
        (error) => error instanceof StatusError && error.code === 400,
      );
    });
  }

  it('accepts an empty envelope', () => {
    assert.equal(isEnvelope(Buffer.from('6b387300', 'hex')), true);
    assert.deepEqual(unwrap(Buffer.from('6b387300', 'hex')).kind, '');
  });
});

describe('listChunks', () => {
  const type = schema.message('core.v1.ConfigMap');
  const names = ['a', 'b', 'x'.repeat(300)];
  const items = names.map((name) => encodeMessage(type, { metadata: { name, creationTimestamp: null } }));

  it('equals the encoding of the whole list', () => {
    const metadata = { resourceVersion: '7', continue: 'c', remainingItemCount: 0 };
    const whole = encodeMessage(schema.message('core.v1.ConfigMapList'), {
      metadata,
      items: items.map((item) => decodeMessage(type, item)),
    });
    const chunks = [...listChunks('v1', 'ConfigMapList', metadata, items)];
    assert.deepEqual(Buffer.concat(chunks), wrap('v1', 'ConfigMapList', whole));
  });

  it('encodes an empty list', () => {
    const bytes = Buffer.concat([...listChunks('v1', 'PodList', { resourceVersion: '1' }, [])]);
    const list = decodeMessage(schema.message('core.v1.PodList'), unwrap(bytes).raw);
    assert.deepEqual(list['metadata'], { resourceVersion: '1' });
  });

  it('matches the field numbers of all list kinds', () => {
    for (const { resources } of schema.groupVersions) {
      for (const { group, version, kind, verbs } of resources.filter((r) => r.verbs.includes('list'))) {
        const list = schema.kind(group, version, `${kind}List`);
        const numbers = list?.fields.map((field) => [field.number, field.name]);
        assert.deepEqual(
          numbers,
          [
            [1, 'metadata'],
            [2, 'items'],
          ],
          `${kind} ${verbs.length}`,
        );
      }
    }
  });
});

describe('watchFrame', () => {
  it('returns a length and an event that contains the object in its envelope', () => {
    const object = Buffer.from(wrapped, 'hex');
    const frame = watchFrame('ADDED', object);
    assert.equal(frame.readUInt32BE(0), frame.length - 4);
    const reader = protobuf.Reader.create(frame.subarray(4));
    assert.deepEqual([reader.uint32(), reader.string()], [0x0a, 'ADDED']);
    assert.deepEqual([reader.uint32(), reader.uint32()], [0x12, object.length + 2]);
    assert.equal(reader.uint32(), 0x0a);
    assert.deepEqual(Buffer.from(reader.bytes()), object);
    assert.equal(reader.pos, reader.len);
  });
});
