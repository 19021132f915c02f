import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';
import { decodeGrant, encodeGrant } from './lease-messages.ts';
import { decodeStatus, type MemberStatus } from './status-message.ts';

/** etcd's own description of its messages. */
const directory = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto');
const types = new protobuf.Root().loadSync(join(directory, 'rpc.proto'), { keepCase: true });

function fromEtcd(type: string, message: Record<string, unknown>): Buffer {
  const found = types.lookupType(`etcdserverpb.${type}`);
  return Buffer.from(found.encode(found.fromObject(message)).finish());
}

const header = { cluster_id: '18446744073709551615', member_id: 1, revision: 9, raft_term: 2 };

describe('decodeStatus', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, MemberStatus])[] = [
    ['an empty response', {}, { version: '', databaseBytes: 0, errors: [] }],
    [
      'a version and a size',
      { header, version: '3.5.21', dbSize: 2 ** 33 + 1, leader: '9223372036854775809', raftIndex: 4 },
      { version: '3.5.21', databaseBytes: 2 ** 33 + 1, errors: [] },
    ],
  ];
  for (const [what, message, expected] of cases) {
    it(`reads ${what}`, () => {
      assert.deepEqual(decodeStatus(fromEtcd('StatusResponse', message)), expected);
    });
  }
});

describe('lease messages', () => {
  for (const ttl of [1, 105, 2 ** 40]) {
    it(`request a lease of ${ttl} seconds`, () => {
      const found = types.lookupType('etcdserverpb.LeaseGrantRequest');
      const read = found.toObject(found.decode(encodeGrant(ttl).finish()), { longs: Number });
      assert.deepEqual(read, { TTL: ttl });
    });
  }

  for (const id of ['1', '2147483648', '7587895023411234567', '9223372036854775807']) {
    it(`read the lease id ${id}`, () => {
      assert.equal(decodeGrant(fromEtcd('LeaseGrantResponse', { header, ID: id, TTL: 60 })), id);
    });
  }

  it('are refused without a lease id', () => {
    assert.throws(() => decodeGrant(fromEtcd('LeaseGrantResponse', { header, TTL: 60 })), /without a lease/);
  });
});
