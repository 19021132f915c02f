import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import {
  clusterIdOf,
  decodeRange,
  decodeTxn,
  encodeCompact,
  encodeRange,
  encodeTxn,
  type Operation,
} from './kv-messages.ts';

/** etcd's own description of its messages. */
const directory = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto');
const types = new protobuf.Root().loadSync(join(directory, 'rpc.proto'), { keepCase: true });

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });

/** The message as etcd would read it, with numbers as text. */
function asEtcd(type: string, message: Uint8Array): unknown {
  const found = types.lookupType(`etcdserverpb.${type}`);
  return found.toObject(found.decode(message), { longs: String, enums: String, defaults: true });
}

function fromEtcd(type: string, message: Record<string, unknown>): Buffer {
  const found = types.lookupType(`etcdserverpb.${type}`);
  return Buffer.from(found.encode(found.fromObject(message)).finish());
}

describe('requests to etcd', () => {
  it('encode a range', () => {
    const request = fc.record({
      key: bytes,
      end: bytes,
      limit: number,
      revision: number,
      keysOnly: fc.boolean(),
      countOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(request, (range) => {
        const read = asEtcd('RangeRequest', encodeRange(range).finish());
        const { key, end: range_end, limit, revision, keysOnly: keys_only, countOnly: count_only } = range;
        const expected = { key, range_end, limit: `${limit}`, revision: `${revision}`, keys_only, count_only };
        assert.deepEqual(pick(read, Object.keys(expected)), expected);
      }),
    );
  });

  it('encode a transaction', () => {
    const lease = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String);
    const operation: fc.Arbitrary<Operation> = fc.oneof(
      fc.record({ kind: fc.constant('range' as const), key: bytes }),
      fc.record({ kind: fc.constant('delete' as const), key: bytes }),
      fc.record({ kind: fc.constant('put' as const), key: bytes, value: bytes }),
      fc.record({ kind: fc.constant('put' as const), key: bytes, value: bytes, lease }),
    );
    const compare = fc.array(fc.record({ key: bytes, revision: number }));
    fc.assert(
      fc.property(compare, fc.array(operation), fc.array(operation), (compares, success, failure) => {
        const read = asEtcd('TxnRequest', encodeTxn({ compare: compares, success, failure }).finish());
        assert.deepEqual(
          read,
          asEtcd(
            'TxnRequest',
            fromEtcd('TxnRequest', {
              compare: compares.map(({ key, revision }) => ({ target: 'Mod', key, mod_revision: revision })),
              success: success.map(toEtcd),
              failure: failure.map(toEtcd),
            }),
          ),
        );
      }),
    );
  });

  it('encode a compaction', () => {
    fc.assert(
      fc.property(number, (revision) => {
        const read = asEtcd('CompactionRequest', encodeCompact(revision).finish());
        assert.deepEqual(read, { revision: `${revision}`, physical: false });
      }),
    );
  });
});

describe('responses of etcd', () => {
  const clusterId = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
  const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const items = fc.array(fc.record({ key: fc.string(), value: bytes, revision }, { noNullPrototype: true }));
  const range = (stored: readonly { key: string; value: Buffer; revision: number }[], count: number) => ({
    kvs: stored.map(({ key, ...item }) => ({
      key: Buffer.from(key),
      create_revision: 7,
      mod_revision: item.revision,
      version: 3,
      value: item.value,
      lease: 5,
    })),
    more: true,
    count,
  });

  it('decode a range', () => {
    fc.assert(
      fc.property(clusterId, revision, items, number, (id, now, stored, count) => {
        const header = { cluster_id: id, member_id: id, revision: now, raft_term: 9 };
        const read = decodeRange(fromEtcd('RangeResponse', { header, ...range(stored, count) }));
        assert.equal(clusterIdOf(read.header), id);
        assert.deepEqual(
          { now: read.header.revision, items: read.items, count: read.count },
          { now, items: stored, count },
        );
      }),
    );
  });

  it('decode the outcome of a transaction and the items that it read', () => {
    fc.assert(
      fc.property(revision, fc.boolean(), fc.array(items), (now, succeeded, reads) => {
        const answer = fromEtcd('TxnResponse', {
          header: { cluster_id: 1, revision: now },
          succeeded,
          responses: [
            { response_put: { header: { revision: now } } },
            { response_delete_range: { deleted: 1 } },
            ...reads.map((stored) => ({ response_range: { header: { revision: now }, ...range(stored, 1) } })),
          ],
        });
        const read = decodeTxn(answer);
        assert.deepEqual(
          { now: read.header.revision, succeeded: read.succeeded, read: read.read },
          { now, succeeded, read: [[], [], ...reads] },
        );
      }),
    );
  });

  it('without a header are refused', () => {
    assert.throws(() => decodeRange(Buffer.alloc(0)), /without a revision/);
    assert.throws(() => decodeTxn(Buffer.alloc(0)), /without a revision/);
  });

  it('share the memory of the message with its values', () => {
    const message = fromEtcd('RangeResponse', {
      header: { revision: 1 },
      ...range([{ key: 'a', value: Buffer.from('value'), revision: 1 }], 1),
    });
    assert.equal(decodeRange(message).items[0]?.value.buffer, message.buffer);
  });
});

function pick(object: unknown, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object as object).filter(([key]) => keys.includes(key)));
}

function toEtcd(operation: Operation): Record<string, unknown> {
  switch (operation.kind) {
    case 'range':
      return { request_range: { key: operation.key } };
    case 'delete':
      return { request_delete_range: { key: operation.key } };
    case 'put':
      return { request_put: { key: operation.key, value: operation.value, lease: operation.lease ?? 0 } };
    case 'nested':
      return { request_txn: { compare: [], success: [toEtcd({ kind: 'put', ...operation.put })], failure: [] } };
  }
}
