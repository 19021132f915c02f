import http2, { type ClientHttp2Session } from 'node:http2';
import type { Pki } from '#scripts/pki.ts';

/** The flow-control windows of usual clients, in bytes: of a stream, and of a connection. */
const [STREAM_WINDOW, CONNECTION_WINDOW] = [4 << 20, 1 << 30];

/** A connection of HTTP/2 with the administrator's certificate. */
export async function http2Connection(pki: Pki, port: number): Promise<ClientHttp2Session> {
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
  const settings = { initialWindowSize: STREAM_WINDOW };
  const session = http2.connect(`https://127.0.0.1:${port}`, { ca, cert, key, servername: 'localhost', settings });
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
  session.setLocalWindowSize(CONNECTION_WINDOW);
  return session;
}

/** One request on a new stream; rejects for answers of 400 and above. */
export function http2Call(
  session: ClientHttp2Session,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<void> {
  const headers = { ':method': method, ':path': path, ...(body === undefined ? {} : { 'content-type': type }) };
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    stream.on('response', (head) => {
      status = head[':status'] ?? 0;
    });
    stream.on('data', () => {});
    stream.on('error', reject);
    stream.on('end', () => (status >= 400 ? reject(new Error(`${method} ${path}: ${status}`)) : resolve()));
    if (body !== undefined) stream.end(JSON.stringify(body));
  });
}

/** Opens a watch; `onLine` is called with each event. Resolves when the stream has begun. */
export async function http2Watch(
  session: ClientHttp2Session,
  path: string,
  onLine: (line: Buffer) => void,
): Promise<void> {
  const stream = session.request({ ':path': path, accept: 'application/json' });
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      const end = chunk.subarray(start, at);
      onLine(rest.length === 0 ? end : Buffer.concat([rest, end]));
      if (rest.length > 0) rest = Buffer.alloc(0);
      start = at + 1;
    }
    if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)]);
  });
  const head = await new Promise<Record<string, unknown>>((resolve, reject) =>
    stream.once('response', resolve).once('error', reject),
  );
  if (head[':status'] !== 200) throw new Error(`a watch of ${path}: ${head[':status']}`);
}
