import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import type { Change } from '#storage/object-store.ts';
import { decodeWatch, encodeProgress, encodeWatch, type WatchAnswer, type WatchRequest } from './watch-messages.ts';

/** etcd's own description of its messages. */
const directory = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto');
const types = new protobuf.Root().loadSync(join(directory, 'rpc.proto'), { keepCase: true });

function asEtcd(message: Uint8Array): unknown {
  const found = types.lookupType('etcdserverpb.WatchRequest');
  return found.toObject(found.decode(message), { longs: Number });
}

function fromEtcd(message: Record<string, unknown>): Buffer {
  const found = types.lookupType('etcdserverpb.WatchResponse');
  return Buffer.from(found.encode(found.fromObject(message)).finish());
}

const key = Buffer.from('/registry/');
const end = Buffer.from('/registry0');

const requests: readonly (readonly [string, WatchRequest, object])[] = [
  ['one key', { key, from: 1 }, { key, start_revision: 1 }],
  ['a range', { key, end, from: 7 }, { key, range_end: end, start_revision: 7 }],
  ['everything', { key, end, from: 2 ** 53 - 1 }, { key, range_end: end, start_revision: 2 ** 53 - 1 }],
  ['the previous values', { key, from: 1, previous: true }, { key, start_revision: 1, prev_kv: true }],
  ['fragments', { key, from: 1, fragment: true }, { key, start_revision: 1, fragment: true }],
  ['no options', { key, from: 1, previous: false, fragment: false }, { key, start_revision: 1 }],
];

const header = { cluster_id: '18446744073709551615', member_id: '1', revision: 9, raft_term: 2 };
const kv = {
  key: Buffer.from('a'),
  create_revision: 3,
  mod_revision: 5,
  version: 2,
  value: Buffer.from('b'),
  lease: 4,
};
const older = { ...kv, mod_revision: 4, version: 1, value: Buffer.from('o') };
const gone = { key: Buffer.from('a'), mod_revision: 6 };
const previous = { key: 'a', value: Buffer.from('o'), revision: 4 };
const put: Change = { key: 'a', revision: 5, value: Buffer.from('b'), createRevision: 3, previous: undefined };
const removal: Change = { key: 'a', revision: 6, value: undefined, createRevision: 0, previous: undefined };

const plain: WatchAnswer = {
  revision: 9,
  created: false,
  canceled: false,
  compactRevision: 0,
  cancelReason: '',
  fragment: false,
  changes: [],
};

const answers: readonly (readonly [string, Record<string, unknown>, Partial<WatchAnswer>])[] = [
  ['an empty message', {}, { revision: 0 }],
  ['progress', { header, watch_id: -1 }, {}],
  ['a created watch', { header, created: true }, { created: true }],
  [
    'a cancelled watch',
    { header, watch_id: -1, created: true, canceled: true, cancel_reason: 'etcdserver: permission denied' },
    { created: true, canceled: true, cancelReason: 'etcdserver: permission denied' },
  ],
  [
    'a compacted revision',
    { header: { cluster_id: 1 }, canceled: true, compact_revision: 2 ** 40 },
    { revision: 0, canceled: true, compactRevision: 2 ** 40 },
  ],
  ['a put', { header, events: [{ kv }] }, { changes: [put] }],
  [
    'a put over an existing value',
    { header, events: [{ type: 'Put', kv, prev_kv: older }] },
    { changes: [{ ...put, previous }] },
  ],
  [
    'an empty value',
    { header, events: [{ kv: { ...kv, value: '' } }] },
    { changes: [{ ...put, value: Buffer.alloc(0) }] },
  ],
  ['a delete', { header, events: [{ type: 'Delete', kv: gone }] }, { changes: [removal] }],
  [
    'a delete of an existing value',
    { header, events: [{ type: 'Delete', kv: gone, prev_kv: older }] },
    { changes: [{ ...removal, createRevision: 3, previous }] },
  ],
  [
    'the first fragment of many changes',
    { header, fragment: true, events: [{ kv }, { type: 'Delete', kv: gone }] },
    { fragment: true, changes: [put, removal] },
  ],
];

describe('requests to a watch', () => {
  for (const [what, request, expected] of requests) {
    it(`encode a watch with ${what}`, () => {
      assert.deepEqual(asEtcd(encodeWatch(request).finish()), { create_request: expected });
    });
  }

  it('encode a progress request', () => {
    assert.deepEqual(asEtcd(encodeProgress().finish()), { progress_request: {} });
  });
});

describe('responses of a watch', () => {
  for (const [what, message, expected] of answers) {
    it(`decode ${what}`, () => {
      assert.deepEqual(decodeWatch(fromEtcd(message)), { ...plain, ...expected });
    });
  }

  it('decode any change', () => {
    const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    const change = fc.record({ key: fc.string(), revision: number, value: bytes, createRevision: number });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const events = changes.map(({ key: name, revision, value, createRevision }) => ({
          kv: { key: Buffer.from(name), create_revision: createRevision, mod_revision: revision, value },
        }));
        const expected = changes.map((one) => ({ ...one, previous: undefined }));
        assert.deepEqual(decodeWatch(fromEtcd({ header, events })).changes, expected);
      }),
    );
  });

  it('share the memory of the message with its values', () => {
    const message = fromEtcd({ header, events: [{ kv, prev_kv: older }] });
    const [change] = decodeWatch(message).changes;
    assert.equal(change?.value?.buffer, message.buffer);
    assert.equal(change?.previous?.value.buffer, message.buffer);
  });

  it('are refused if they are truncated, except between fields', () => {
    const message = fromEtcd({ header, events: [{ kv, prev_kv: older }], compact_revision: 2 ** 40 });
    const whole = decodeWatch(message);
    for (let length = 0; length < message.length; length++) {
      let read: WatchAnswer | undefined;
      try {
        read = decodeWatch(message.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
      assert.notDeepEqual(read, whole);
      assert.ok(read === undefined || read.changes.every(({ key: name }) => name === 'a'));
    }
  });
});
