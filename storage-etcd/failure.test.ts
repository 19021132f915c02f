import assert from 'node:assert/strict';
import { CallError } from './call-error.ts';
import { type Failure, failureOf, LeaseLostError, RevisionGoneError } from './failure.ts';
import { FutureRevisionError, StoreUnavailableError, ValueTooLargeError } from './object-store.ts';

/** Messages as etcd 3.4 to 3.7 and grpc-js word them. */
const messages: readonly (readonly [string, Failure['kind'], (new (...args: never[]) => Error)?])[] = [
  ['14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED 127.0.0.1:2379', 'unsent'],
  ['14 UNAVAILABLE: Channel closed before call started', 'unsent'],
  ['14 UNAVAILABLE: Name resolution failed for target dns:nowhere:2379', 'unsent'],
  ['4 DEADLINE_EXCEEDED: Deadline exceeded after 1.001s,LB pick: 0.001s,Waiting for LB pick', 'unsent'],
  ['14 UNAVAILABLE: etcdserver: no leader', 'unsent'],
  ['8 RESOURCE_EXHAUSTED: etcdserver: too many requests', 'unsent'],
  ['14 UNAVAILABLE: Connection dropped', 'unknown'],
  ['14 UNAVAILABLE: read ECONNRESET', 'unknown'],
  ['14 UNAVAILABLE: etcdserver: request timed out', 'unknown'],
  ['14 UNAVAILABLE: etcdserver: request timed out, possibly due to previous leader failure', 'unknown'],
  ['14 UNAVAILABLE: etcdserver: leader changed', 'unknown'],
  ['14 UNAVAILABLE: etcdserver: server stopped', 'unknown'],
  ['4 DEADLINE_EXCEEDED: Deadline exceeded after 3.001s,LB pick: 0.001s,remote_addr=127.0.0.1:2379', 'unknown'],
  ['13 INTERNAL: Received RST_STREAM with code 2', 'unknown'],
  ['8 RESOURCE_EXHAUSTED: Bandwidth exhausted or memory limit exceeded', 'unknown'],
  ['2 UNKNOWN: context canceled', 'unknown'],
  ['something else entirely', 'unknown'],
  ['3 INVALID_ARGUMENT: etcdserver: request is too large', 'refused', ValueTooLargeError],
  ['8 RESOURCE_EXHAUSTED: grpc: received message larger than max (3000000 vs. 2097152)', 'refused', ValueTooLargeError],
  [
    '8 RESOURCE_EXHAUSTED: grpc: trying to send message larger than max (3000000 vs. 2097152)',
    'refused',
    ValueTooLargeError,
  ],
  ['8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded', 'refused', StoreUnavailableError],
  ['11 OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted', 'refused', RevisionGoneError],
  ['11 OUT_OF_RANGE: etcdserver: mvcc: required revision is a future revision', 'refused', FutureRevisionError],
  ['5 NOT_FOUND: etcdserver: requested lease not found', 'refused', LeaseLostError],
  ['7 PERMISSION_DENIED: etcdserver: permission denied', 'refused', StoreUnavailableError],
];

/** Failures of the channel, where only what etcd itself said is judged by its words. */
const failures: readonly (readonly [CallError, Failure['kind'], (new (...args: never[]) => Error)?])[] = [
  [CallError.unsent('connect ECONNREFUSED 127.0.0.1:2379'), 'unsent'],
  [CallError.unsent('etcdserver: request timed out'), 'unsent'],
  [CallError.lost('Deadline exceeded after 1000 ms'), 'unknown'],
  [CallError.lost('etcdserver: no leader'), 'unknown'],
  [CallError.lost('etcdserver: mvcc: required revision has been compacted'), 'unknown'],
  [CallError.answer(14, 'etcdserver: no leader'), 'unsent'],
  [CallError.answer(14, 'etcdserver: request timed out'), 'unknown'],
  [CallError.answer(14, 'Stream refused by server'), 'unknown'],
  [CallError.answer(14, 'client was already closed'), 'unknown'],
  [CallError.answer(4, 'context deadline exceeded'), 'unknown'],
  [CallError.answer(3, 'etcdserver: duplicate key given in txn request'), 'refused', StoreUnavailableError],
  [CallError.answer(3, 'etcdserver: request is too large'), 'refused', ValueTooLargeError],
  [CallError.answer(11, 'etcdserver: mvcc: required revision has been compacted'), 'refused', RevisionGoneError],
  [CallError.answer(16, 'etcdserver: invalid auth token'), 'refused', StoreUnavailableError],
];

describe('what a failed call says about its request', () => {
  const thrown = messages.map(([message, kind, error]) => [new Error(message), kind, error] as const);
  for (const [failed, kind, error] of [...thrown, ...failures]) {
    const told = failed instanceof CallError ? ` (sent: ${failed.sent}, answered: ${failed.answered})` : '';
    it(`${failed.message}${told} -> ${kind}${error ? ` ${error.name}` : ''}`, () => {
      const failure = failureOf(failed);
      assert.equal(failure.kind, kind);
      if (failure.kind === 'refused') {
        assert.ok(error && failure.error instanceof error);
      }
    });
  }
});
