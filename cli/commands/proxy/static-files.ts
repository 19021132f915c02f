import { createReadStream, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { notFound, redirect } from './answers.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.gif', 'image/gif'],
  ['.htm', 'text/html; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webp', 'image/webp'],
  ['.xml', 'text/xml; charset=utf-8'],
]);

/**
 * Answers with a file of a folder. For a subfolder, the answer is its index.html or a list of its files.
 * @param name the path below the folder, decoded and without `..`
 */
export async function serveFile(folder: string, name: string, response: ServerResponse, body = true): Promise<void> {
  if (name.includes('\0')) return notFound(response);
  const file = path.join(folder, name);
  const found = await statOf(file);
  if (found === undefined) return notFound(response);
  if (!found.isDirectory()) return sendFile(file, found, response, body);
  if (!name.endsWith('/') && name !== '') return redirect(response, `${path.basename(name)}/`);
  const index = path.join(file, 'index.html');
  const indexed = await statOf(index);
  if (indexed?.isFile() === true) return sendFile(index, indexed, response, body);
  return sendList(file, response);
}

async function statOf(file: string): Promise<Stats | undefined> {
  return stat(file).catch(() => undefined);
}

async function sendFile(file: string, { size, mtime }: Stats, response: ServerResponse, body: boolean): Promise<void> {
  const type = TYPES.get(path.extname(file).toLowerCase()) ?? 'application/octet-stream';
  response.writeHead(200, {
    'content-type': type,
    'content-length': size,
    'last-modified': mtime.toUTCString(),
    'x-content-type-options': 'nosniff',
  });
  if (!body) response.end();
  // The file may have grown since its size was read.
  else if (size > 0) await pipeline(createReadStream(file, { end: size - 1 }), response);
  else response.end();
}

async function sendList(folder: string, response: ServerResponse): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lines = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .map((name) => `<a href="${encodeURI(name).replaceAll(/[?#]/g, encodeURIComponent)}">${escaped(name)}</a>\n`);
  const text = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
