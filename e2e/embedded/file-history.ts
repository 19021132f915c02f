import { DatabaseSync } from 'node:sqlite';
import type { Change, Value } from '../chaos/checker/history.ts';

/**
 * The factor by which revisions are multiplied. The number of a change is its multiplied revision plus its position in
 * that revision.
 */
const PLACES = 256;

/**
 * The changes in the file of a store under a prefix. This function does not read them with the product's code. The file
 * must be closed.
 */
export function historyOf(file: string, prefix: string, keyOf: (stored: string) => string | undefined): Change[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const changes: Change[] = [];
    const latest = new Map<string, { revision: number; isThere: boolean }>();
    for (const row of db.prepare('SELECT id, key, value FROM changes ORDER BY id').iterate()) {
      const key = keyOf(String(row['key']).slice(prefix.length));
      if (key === undefined) continue;
      const revision = Math.floor(Number(row['id']) / PLACES);
      const value = row['value'] === null ? undefined : toValue(row['value'] as Uint8Array);
      const before = latest.get(key);
      changes.push({ revision, key, previous: before?.isThere ? before.revision : 0, value });
      latest.set(key, { revision, isThere: value !== undefined });
    }
    return changes;
  } finally {
    db.close();
  }
}

function toValue(bytes: Uint8Array): Value {
  const { metadata } = JSON.parse(Buffer.from(bytes).toString()) as {
    metadata: { uid: string; labels?: Record<string, string> };
  };
  return { id: metadata.labels?.['id'] ?? '', uid: metadata.uid, color: metadata.labels?.['color'] ?? '' };
}
