import { randomBytes } from 'node:crypto';
import {
  type Condition,
  OutcomeUnknownError,
  type Revision,
  type Stored,
  StoreFullError,
  StoreUnavailableError,
  type Write,
  type Written,
} from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { currentRevision } from './current-revision.ts';
import { failureOf, LeaseLostError } from './failure.ts';
import { keyBytes } from './keys.ts';
import { type Compare, type Operation, ownPut, type TxnAnswer } from './kv-messages.ts';
import { appliedRevision, doneThough } from './lost-answer.ts';
import { Attempts } from './retry.ts';

/** A conditional write that found another state: the current values of the condition's keys, in their order. */
interface Refused {
  readonly outcome: 'changed';
  readonly current: readonly (Stored | undefined)[];
}

/** The largest number of sends of one write. It is sent again only if it is certain that it was not done. */
const MAX_SENDS = 4;

/**
 * Does all writes at one revision if every condition holds. No library repeats the call. If the answer is lost, the
 * store's history shows whether the writes were done. Before that, a fence ensures that a request in flight can no
 * longer be done.
 *
 * @throws StoreUnavailableError (nothing was written; StoreFullError if there is no space), OutcomeUnknownError,
 * ValueTooLargeError
 */
export async function commit(
  connection: Connection,
  conditions: readonly Condition[],
  writes: readonly Write[],
): Promise<Written | Refused> {
  const { endpoints, fence, leases, settings } = connection;
  const compare = conditions.map(toCompare);
  const failure = conditions.map(toRead);
  const mark = markOf(writes, settings.prefix);
  let sent = mark === undefined ? writes : [...writes, mark];
  let success = operationsOf(writes, mark);
  const leased = writes.some((write) => write.ttlSeconds !== undefined);
  let attempts: Attempts | undefined;
  for (let sends = 1; ; sends++) {
    if (leased) success = await withLeases(connection, sent, success);
    const carried = fence.revision;
    const floor = connection.recentRevision ?? (await currentRevision(connection));
    const endpoint = endpoints.current();
    let answer: TxnAnswer;
    try {
      const request = { compare: [...compare, fence.compare(carried)], success, failure };
      answer = await endpoint.kv.txn(request, settings.writeTimeoutMs);
    } catch (error) {
      const failed = failureOf(error);
      if (failed.kind === 'refused') {
        if (failed.error instanceof LeaseLostError && sends < MAX_SENDS) {
          leases.forget();
          continue;
        }
        if (failed.error instanceof StoreFullError) {
          connection.space.ranOut();
          const done = await doneThough(connection, { conditions, writes: sent, carried, floor });
          if (done !== undefined) {
            return { outcome: 'written', revision: done };
          }
          if (sent !== writes && writes.every(({ value }) => value === undefined)) {
            sent = writes;
            success = operationsOf(writes, undefined);
            continue;
          }
        }
        throw failed.error;
      }
      attempts ??= new Attempts(endpoints, settings.unavailableAfterMs);
      if (failed.kind === 'unknown') {
        endpoints.failed(endpoint);
        if (mark !== undefined && sent === writes) {
          throw new OutcomeUnknownError(`etcd is full and did not answer a deletion: ${failed.message}`);
        }
        const revision = await appliedRevision(connection, { conditions, writes: sent, carried, floor });
        if (revision !== undefined) {
          return { outcome: 'written', revision };
        }
        if (sends >= MAX_SENDS) {
          throw new StoreUnavailableError(`etcd lost the request ${sends} times: ${failed.message}`);
        }
        continue;
      }
      await attempts.next(endpoint, failed.message);
      continue;
    }
    const revision: Revision = connection.see(answer.header);
    if (answer.succeeded) {
      if (writes.some(({ value }) => value !== undefined)) connection.space.sufficed();
      return { outcome: 'written', revision };
    }
    const current = answer.read.map((items) => items[0]);
    if (conditions.some((condition, i) => (current[i]?.revision ?? 0) !== condition.revision)) {
      return { outcome: 'changed', current };
    }
    // Only the fence differed: nothing was written.
    await fence.refresh();
    if (sends >= MAX_SENDS) {
      throw new StoreUnavailableError('the store recovers from lost requests; nothing was written');
    }
  }
}

/**
 * The mark of a deletion. A deletion leaves no bytes that identify its client: after a lost answer, another client's
 * deletion looks the same in the history. So each deletion also writes a mark, a random value under one key that all
 * replicas share. Undefined if nothing is deleted, or if the mark itself is deleted: etcd allows a key only once in a
 * transaction.
 */
function markOf(writes: readonly Write[], prefix: string): Write | undefined {
  const key = `${prefix}/store:removal`;
  const removes = writes.some(({ value }) => value === undefined);
  return removes && !writes.some((write) => write.key === key) ? { key, value: randomBytes(12) } : undefined;
}

function operationsOf(writes: readonly Write[], mark: Write | undefined): Operation[] {
  const operations = writes.map(toOperation);
  if (mark !== undefined) {
    operations.push(ownPut({ key: keyBytes(mark.key), value: mark.value! }));
  }
  return operations;
}

function toCompare({ key, revision }: Condition): Compare {
  return { key: keyBytes(key), revision };
}

function toRead({ key }: Condition): Operation {
  return { kind: 'range', key: keyBytes(key) };
}

function toOperation({ key, value }: Write): Operation {
  return value === undefined ? { kind: 'delete', key: keyBytes(key) } : { kind: 'put', key: keyBytes(key), value };
}

function withLeases(
  connection: Connection,
  writes: readonly Write[],
  operations: readonly Operation[],
): Promise<Operation[]> {
  return Promise.all(
    operations.map(async (operation, i) => {
      const ttlSeconds = writes[i]?.ttlSeconds;
      return ttlSeconds === undefined || operation.kind !== 'put'
        ? operation
        : { ...operation, lease: await connection.leases.leaseFor(ttlSeconds) };
    }),
  );
}
