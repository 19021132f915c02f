import assert from 'node:assert/strict';

/**
 * Decides for one row after the other whether it runs, in tables that need much time. `PART=1/4` runs every fourth row,
 * beginning with the second one. Without it, all rows run.
 * @throws AssertionError if `PART` is malformed
 */
export function partOfRows(text = process.env['PART'] ?? '0/1'): () => boolean {
  const [part, parts] = text.split('/').map(Number);
  assert.ok(part! >= 0 && part! < parts!, `PART is a number, a slash and a greater number, and not ${text}`);
  let row = 0;
  return () => row++ % parts! === part;
}
