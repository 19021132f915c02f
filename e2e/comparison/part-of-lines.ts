import assert from 'node:assert/strict';

/**
 * Tells for one line after the other whether it runs. `COMPARED=1/4` runs every fourth line, beginning with the second
 * one. Without it all lines run, which takes 17 minutes of processor time.
 * @throws AssertionError if `COMPARED` is something else
 */
export function partOfLines(text = process.env['COMPARED'] ?? '0/1'): () => boolean {
  const [part, parts] = text.split('/').map(Number);
  assert.ok(part! >= 0 && part! < parts!, `COMPARED is a number, a slash and a greater number, and not ${text}`);
  let line = 0;
  return () => line++ % parts! === part;
}
