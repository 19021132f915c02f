import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';

/** The least that watches over HTTP/2 need on this machine: a bare server that writes one line to all open streams. */
const [, , port, cert, key] = process.argv;
const line = Buffer.alloc(1000, 'x').fill('\n', 999);
const watchers = new Set<ServerHttp2Stream>();

const server = createSecureServer({ cert: readFileSync(cert!), key: readFileSync(key!) });
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  stream.respond({ ':status': 200 });
  if (headers[':path'] === '/watch') {
    watchers.add(stream);
    stream.once('close', () => watchers.delete(stream));
    return;
  }
  if (headers[':method'] === 'PUT') for (const watcher of watchers) watcher.write(line);
  stream.end();
});
server.listen(Number(port), '127.0.0.1');
