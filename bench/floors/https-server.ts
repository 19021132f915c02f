import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Readable } from 'node:stream';

/** The least that this machine needs: a bare TLS server that answers a small or a large body, or streams lines. */
const [, , port, cert, key] = process.argv;
const small = Buffer.alloc(3000, 'x');
const chunk = Buffer.alloc(1024 * 1024, 'x');

const line = Buffer.alloc(1000, 'x').fill('\n', 999);
const watchers = new Set<ServerResponse>();

const server = createServer({ cert: readFileSync(cert!), key: readFileSync(key!) }, (request, response) => {
  if (request.url === '/large') {
    response.writeHead(200);
    for (let i = 0; i < 16; i++) response.write(chunk);
    response.end();
    return;
  }
  if (request.url?.endsWith('/hundred') === true) {
    response.writeHead(200);
    Readable.from(Array.from({ length: 100 }, () => chunk)).pipe(response);
    return;
  }
  if (/watch(?:=1)?$/.test(request.url ?? '')) {
    response.writeHead(200);
    response.flushHeaders();
    watchers.add(response);
    response.once('close', () => watchers.delete(response));
    return;
  }
  if (request.method === 'PUT') for (const watcher of watchers) watcher.write(line);
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', small.length);
  response.end(small);
});
server.listen(Number(port), '127.0.0.1');
