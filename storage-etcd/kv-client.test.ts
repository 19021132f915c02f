import assert from 'node:assert/strict';
import { TrafficCounter } from '#storage/traffic.ts';
import type { Metadata } from './grpc-session.ts';
import { KvClient } from './kv-client.ts';

describe('KvClient', () => {
  it('sends the metadata of its caller with each call', async () => {
    const sent: (Metadata | undefined)[] = [];
    let metadata: Metadata | undefined = { traceparent: 'one' };
    const unary = async (...call: readonly unknown[]): Promise<Buffer> => {
      sent.push(call[4] as Metadata | undefined);
      throw new Error('enough');
    };
    const client = new KvClient({ unary }, new TrafficCounter(), () => metadata);
    await assert.rejects(client.range({ key: Buffer.from('a') } as never, 1_000), /enough/);
    metadata = undefined;
    await assert.rejects(client.txn({ compare: [], success: [], failure: [] } as never, 1_000), /enough/);
    assert.deepEqual(sent, [{ traceparent: 'one' }, undefined]);
  });
});
