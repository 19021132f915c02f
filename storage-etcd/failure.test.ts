import assert from 'node:assert/strict';
import { FutureRevisionError, StoreUnavailableError, ValueTooLargeError } from '#storage/object-store.ts';
import { CallError } from './call-error.ts';
import { type Failure, failureOf, LeaseLostError, RevisionGoneError } from './failure.ts';

/**
 * Failures of the channel. The code interprets only messages of etcd itself. These are the messages of versions 3.4 to
 * 3.7.
 */
const failures: readonly (readonly [Error, Failure['kind'], (new (...args: never[]) => Error)?])[] = [
  [CallError.unsent('connect ECONNREFUSED 127.0.0.1:2379'), 'unsent'],
  [CallError.unsent('etcdserver: request timed out'), 'unsent'],
  [CallError.lost('Deadline exceeded after 1000 ms'), 'unknown'],
  [CallError.lost('etcdserver: no leader'), 'unknown'],
  [CallError.lost('etcdserver: mvcc: required revision has been compacted'), 'unknown'],
  [CallError.answer(14, 'etcdserver: no leader'), 'unsent'],
  [CallError.answer(8, 'etcdserver: too many requests'), 'unsent'],
  [CallError.answer(14, 'etcdserver: request timed out'), 'unknown'],
  [CallError.answer(14, 'etcdserver: request timed out, possibly due to previous leader failure'), 'unknown'],
  [CallError.answer(14, 'etcdserver: leader changed'), 'unknown'],
  [CallError.answer(14, 'etcdserver: server stopped'), 'unknown'],
  [CallError.answer(14, 'Stream refused by server'), 'unknown'],
  [CallError.answer(4, 'context deadline exceeded'), 'unknown'],
  [CallError.answer(2, 'context canceled'), 'unknown'],
  [CallError.answer(8, 'Bandwidth exhausted or memory limit exceeded'), 'unknown'],
  [new Error('something else entirely'), 'unknown'],
  [CallError.answer(3, 'etcdserver: duplicate key given in txn request'), 'refused', StoreUnavailableError],
  [CallError.answer(3, 'etcdserver: request is too large'), 'refused', ValueTooLargeError],
  [CallError.answer(8, 'grpc: received message larger than max (3 vs. 2)'), 'refused', ValueTooLargeError],
  [CallError.answer(8, 'grpc: trying to send message larger than max (3 vs. 2)'), 'refused', ValueTooLargeError],
  [CallError.answer(8, 'etcdserver: mvcc: database space exceeded'), 'refused', StoreUnavailableError],
  [CallError.answer(11, 'etcdserver: mvcc: required revision has been compacted'), 'refused', RevisionGoneError],
  [CallError.answer(11, 'etcdserver: mvcc: required revision is a future revision'), 'refused', FutureRevisionError],
  [CallError.answer(5, 'etcdserver: requested lease not found'), 'refused', LeaseLostError],
  [CallError.answer(7, 'etcdserver: permission denied'), 'refused', StoreUnavailableError],
  [CallError.answer(16, 'etcdserver: invalid auth token'), 'refused', StoreUnavailableError],
];

describe('failureOf', () => {
  for (const [failed, kind, error] of failures) {
    const told = failed instanceof CallError ? ` (sent: ${failed.sent}, answered: ${failed.answered})` : '';
    it(`${failed.message}${told} -> ${kind}${error ? ` ${error.name}` : ''}`, () => {
      const failure = failureOf(failed);
      assert.equal(failure.kind, kind);
      if (failure.kind === 'refused') assert.ok(error && failure.error instanceof error);
    });
  }
});
