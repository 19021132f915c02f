import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by the path under which they are served. */
const FILES: readonly [served: string, file: string, type: string][] = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/object.css', 'object.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
];

/** Reads the built page; each answer replaces `NONCE` in it. @throws Error if a file is missing */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  return new Map(FILES.map(([served, file, type]) => [served, { type, body: readFileSync(path.join(folder, file)) }]));
}
