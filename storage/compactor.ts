import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import { CompactedError, type ObjectStore, type Revision, StoreFullError } from './object-store.ts';

/** How long history is kept by default. */
const INTERVAL_MS = 300_000;

/** The calls of a store that the compactor needs. */
export type CompactableStore = Pick<ObjectStore, 'get' | 'create' | 'update' | 'currentRevision'> & {
  compact(revision: Revision): Promise<void>;
};

export interface CompactorOptions {
  /**
   * The interval in milliseconds at which history is dropped. History stays for one to two intervals. Default 5
   * minutes; 0 means never.
   */
  readonly intervalMs?: number;
  /** The key of the record that replicas share. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Called with each error; the next interval tries again. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Drops history, once in each interval for all replicas together. A shared record holds a revision that is one interval
 * old. A replica that finds the record unchanged for a whole interval replaces it by the current revision in one
 * conditional write, and compacts to the old content. The other replicas find it changed and wait for another interval.
 *
 * Returns a promise that resolves when the compactor has ended because of the signal.
 */
export async function startCompactor(store: CompactableStore, options: CompactorOptions): Promise<void> {
  const { intervalMs = INTERVAL_MS, key, signal, onError } = options;
  if (intervalMs === 0) return;
  let known: Revision | undefined;
  let before: Revision | undefined;
  while (!signal.aborted) {
    try {
      const now = await store.currentRevision();
      try {
        known = await takeTurn(store, key, known, now);
      } catch (error) {
        if (!(error instanceof StoreFullError)) throw error;
        // If there is no space for the record, every replica uses the revision that it knows itself, because the
        // history takes up the space.
        if (before !== undefined) await store.compact(before);
      }
      before = now;
    } catch (error) {
      if (!(error instanceof CompactedError)) onError?.(error);
    }
    try {
      await sleep(timerMs(intervalMs), undefined, { signal, ref: false });
    } catch {
      return;
    }
  }
}

/** The work of one interval. `known` is the record's revision in the interval before. Returns its present revision. */
async function takeTurn(
  store: CompactableStore,
  key: string,
  known: Revision | undefined,
  now: Revision,
): Promise<Revision> {
  const record = await store.get(key);
  if (record && record.revision !== known) return record.revision;
  const value = Buffer.from(JSON.stringify({ revision: now }));
  if (!record) {
    const created = await store.create(key, value);
    return created.outcome === 'written' ? created.revision : created.current.revision;
  }
  const updated = await store.update(key, record.revision, value);
  if (updated.outcome === 'changed') return updated.current?.revision ?? 0;
  try {
    await store.compact(recordedRevision(record.value));
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
  }
  return updated.revision;
}

function recordedRevision(value: Buffer): Revision {
  const record: unknown = JSON.parse(value.toString());
  if (typeof record === 'object' && record !== null && 'revision' in record && Number.isSafeInteger(record.revision)) {
    return Number(record.revision);
  }
  throw new Error('the compaction record is not readable');
}
