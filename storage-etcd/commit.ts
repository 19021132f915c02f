import type { ICompare, IRequestOp, ITxnResponse } from 'etcd3';
import { within } from './client.ts';
import type { Connection } from './connection.ts';
import { currentRevision } from './current-revision.ts';
import { failureOf, LeaseLostError } from './failure.ts';
import { asBuffer, keyBytes, toStored } from './keys.ts';
import { appliedRevision } from './lost-answer.ts';
import {
  type Condition,
  type Revision,
  type Stored,
  StoreUnavailableError,
  type Write,
  type Written,
} from './object-store.ts';
import { Attempts } from './retry.ts';

/** A conditional write that found another state: the current values of the condition's keys, in their order. */
interface Refused {
  readonly outcome: 'changed';
  readonly current: readonly (Stored | undefined)[];
}

/** How often one write is sent at most; it is sent again only when it is certain that it was not done. */
const maxSends = 4;

/**
 * Does all writes at one revision if every condition holds. No library repeats it: when the answer is lost, the
 * store's history tells what became of it, behind a fence that keeps a request still under way from being done later.
 * Throws StoreUnavailableError (nothing was written), OutcomeUnknownError, ValueTooLargeError.
 */
export async function commit(
  connection: Connection,
  conditions: readonly Condition[],
  writes: readonly Write[],
): Promise<Written | Refused> {
  const { endpoints, fence, leases, settings } = connection;
  const compare = conditions.map(toCompare);
  const failure = conditions.map(toRead);
  let success = writes.map(toRequest);
  const leased = writes.some((write) => write.ttlSeconds !== undefined);
  let attempts: Attempts | undefined;
  for (let sends = 1; ; sends++) {
    if (leased) {
      success = await withLeases(connection, writes, success);
    }
    const carried = fence.revision;
    const floor = connection.recentRevision ?? (await currentRevision(connection));
    const endpoint = endpoints.current();
    let response: ITxnResponse;
    try {
      response = await endpoint.client.kv.txn(
        { compare: [...compare, fence.compare(carried)], success, failure },
        within(settings.writeTimeoutMs),
      );
    } catch (error) {
      const failed = failureOf(error);
      if (failed.kind === 'refused') {
        if (failed.error instanceof LeaseLostError && sends < maxSends) {
          leases.forget();
          continue;
        }
        throw failed.error;
      }
      attempts ??= new Attempts(endpoints, settings.unavailableAfterMs);
      if (failed.kind === 'unknown') {
        endpoints.failed(endpoint);
        const revision = await appliedRevision(connection, { conditions, writes, carried, floor });
        if (revision !== undefined) {
          return { outcome: 'written', revision };
        }
        if (sends >= maxSends) {
          throw new StoreUnavailableError(`etcd lost the request ${sends} times: ${failed.message}`);
        }
        continue;
      }
      await attempts.next(endpoint, failed.message);
      continue;
    }
    const revision: Revision = connection.see(response.header);
    if (response.succeeded) {
      return { outcome: 'written', revision };
    }
    const current = response.responses.map(({ response_range: { kvs } }) => kvs[0] && toStored(kvs[0]));
    if (conditions.some((condition, i) => (current[i]?.revision ?? 0) !== condition.revision)) {
      return { outcome: 'changed', current };
    }
    // Only the fence differed: nothing was written.
    await fence.refresh();
    if (sends >= maxSends) {
      throw new StoreUnavailableError('the store recovers from lost requests; nothing was written');
    }
  }
}

function toCompare({ key, revision }: Condition): ICompare {
  return { result: 'Equal', target: 'Mod', key: keyBytes(key), mod_revision: revision };
}

function toRead({ key }: Condition): IRequestOp {
  return { request_range: { key: keyBytes(key) } };
}

function toRequest({ key, value }: Write): IRequestOp {
  return value === undefined
    ? { request_delete_range: { key: keyBytes(key) } }
    : { request_put: { key: keyBytes(key), value: asBuffer(value) } };
}

function withLeases(
  connection: Connection,
  writes: readonly Write[],
  requests: readonly IRequestOp[],
): Promise<IRequestOp[]> {
  return Promise.all(
    requests.map(async (request, i) => {
      const { ttlSeconds } = writes[i]!;
      if (ttlSeconds === undefined || !request.request_put) {
        return request;
      }
      return { request_put: { ...request.request_put, lease: await connection.leases.leaseFor(ttlSeconds) } };
    }),
  );
}
