import type { Answer } from '../../api/answer.ts';

/** Answers `/`: the paths that this server has. */
export function rootPaths(paths: readonly string[]): Answer {
  const body = Buffer.from(`${JSON.stringify({ paths: [...paths].sort() }, undefined, 2)}\n`);
  return { kind: 'bytes', status: 200, contentType: 'application/json', body };
}
