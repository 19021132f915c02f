import { timerMs } from '#base/time/longest-timer.ts';
import {
  type Batch,
  type Change,
  type Condition,
  FeedBrokenError,
  OutcomeUnknownError,
  type Revision,
  type Write,
} from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { openFeed } from './feed.ts';
import { asBuffer, keyBytes } from './keys.ts';

/** The interval in milliseconds at which a feed is asked for its progress, if no change shows the progress. */
const ASK_EVERY_MS = 100;

/** A write that was sent and not answered. */
export interface LostWrite {
  readonly conditions: readonly Condition[];
  readonly writes: readonly Write[];
  /** The fence revision it carries. */
  readonly carried: Revision;
  /** A revision that the store had reached before the write was sent. */
  readonly floor: Revision;
}

/**
 * Finds out whether a write whose answer was lost was done. Returns its revision, or undefined if it was not done and
 * never will be. The function first writes the fence: after the fence's revision the write cannot happen any more. Then
 * it reads the history from before the write up to the fence. A read of the key alone is not enough: another client may
 * have written it since, or the request may still be in flight.
 *
 * A change counts as this write if it leads from the expected revision to the same bytes. In the whole history, only
 * one change leads away from a revision. If another client wrote the same bytes, the state is still the requested one.
 * Deletions carry a mark (`commit.ts`).
 *
 * @throws OutcomeUnknownError if etcd does not give the answer in time
 */
export async function appliedRevision(connection: Connection, lost: LostWrite): Promise<Revision | undefined> {
  const { settings, fence } = connection;
  const prefix = `${settings.prefix}/`;
  if (!lost.writes.every(({ key }) => key.startsWith(prefix))) {
    throw new OutcomeUnknownError(`etcd did not answer a write of keys outside ${prefix}`);
  }
  const giveUpAt = performance.now() + settings.writeTimeoutMs;
  const fencedAt = await fence.raise(lost.carried, giveUpAt);
  return find(connection, lost, fencedAt, giveUpAt);
}

/**
 * Checks a write that etcd refused because its space is full. etcd can report this after it has done the write, if the
 * space ran out during the write. Returns the revision of the write, or undefined if it was not done. A refused write
 * is no longer in flight, so this check needs no fence.
 *
 * @throws StoreUnavailableError, OutcomeUnknownError
 */
export async function doneThough(connection: Connection, refused: LostWrite): Promise<Revision | undefined> {
  const { settings } = connection;
  const giveUpAt = performance.now() + settings.writeTimeoutMs;
  const written = refused.conditions.find(
    ({ key, revision }) => revision > 0 && refused.writes.some((w) => w.key === key),
  );
  const request = { key: keyBytes(written?.key ?? `${settings.prefix}/`) };
  const { header, items } = await connection.read((kv, timeoutMs) => kv.range(request, timeoutMs));
  const untouched = written !== undefined && items[0]?.revision === written.revision;
  if (untouched || header.revision <= refused.floor) return undefined;
  return find(connection, refused, header.revision, giveUpAt);
}

/** Looks for a write in the history from its floor to `until`. */
async function find(
  connection: Connection,
  lost: LostWrite,
  until: Revision,
  giveUpAt: number,
): Promise<Revision | undefined> {
  const signal = AbortSignal.timeout(timerMs(Math.ceil(giveUpAt - performance.now())));
  let after = lost.floor;
  while (!signal.aborted) {
    const feed = openFeed(connection, `${connection.settings.prefix}/`, after, { signal, previous: true });
    const asking = setInterval(() => feed.requestProgress(), ASK_EVERY_MS);
    try {
      for await (const batch of feed) {
        const revision = revisionOf(lost, batch);
        if (revision !== undefined) return revision;
        if (batch.revision >= until) return undefined;
        after = batch.revision;
      }
    } catch (error) {
      if (!(error instanceof FeedBrokenError)) {
        throw new OutcomeUnknownError(`etcd did not answer a write: ${error instanceof Error ? error.message : error}`);
      }
    } finally {
      clearInterval(asking);
    }
  }
  throw new OutcomeUnknownError('etcd did not answer a write, nor what became of it');
}

function revisionOf(lost: LostWrite, batch: Batch): Revision | undefined {
  const expected = new Map(lost.conditions.map(({ key, revision }) => [key, revision]));
  // The deletion of a key that may be absent leaves no trace in the history.
  const traces = lost.writes.filter(({ key, value }) => value !== undefined || (expected.get(key) ?? 0) > 0);
  const [first, ...others] = traces;
  if (!first) return undefined;
  const found = batch.changes.find((change) => isTrace(change, first, expected.get(first.key)));
  const complete =
    found &&
    others.every((write) =>
      batch.changes.some(
        (change) => change.revision === found.revision && isTrace(change, write, expected.get(write.key)),
      ),
    );
  return complete ? found.revision : undefined;
}

function isTrace(change: Change, write: Write, expected: Revision | undefined): boolean {
  if (change.key !== write.key) return false;
  if (expected !== undefined && (change.previous?.revision ?? 0) !== expected) return false;
  return write.value === undefined || change.value === undefined
    ? write.value === change.value
    : asBuffer(write.value).equals(change.value);
}
