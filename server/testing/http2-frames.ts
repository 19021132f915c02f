/** A frame of HTTP/2 in its wire form (RFC 9113, 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The payload of a RST_STREAM, or of a WINDOW_UPDATE. */
function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The payload of a SETTINGS frame (RFC 9113, 6.5.1). */
function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([0, id]), word(value)]);
}

/** The preface of a client, with its settings (RFC 9113, 3.4). */
export function preface(settings: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.concat(settings.map(([id, value]) => setting(id, value)));
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, payload)]);
}

/** Fields of the static table by their index (RFC 7541, appendix A). */
const AUTHORITY = 1;
const GET = 2;
const POST = 3;
const PATH = 4;
const ROOT = 4;
const HTTPS = 7;
const AUTHORIZATION = 23;
const COOKIE = 32;

/** A literal field that the other side does not index. */
function literal(index: number, value: string): Buffer {
  const [text, known] = [Buffer.from(value), index < 15 ? [index] : [15, index - 15]];
  const length = text.length < 127 ? [text.length] : [127, ((text.length - 127) & 127) | 128, (text.length - 127) >> 7];
  return Buffer.concat([Buffer.from([...known, ...length]), text]);
}

/** The fields of a request, in the form of a HEADERS frame. */
export function head(
  path: string,
  { method = 'GET', token = '' }: { method?: 'GET' | 'POST'; token?: string } = {},
): Buffer {
  return Buffer.concat([
    Buffer.from([0x80 | (method === 'GET' ? GET : POST), 0x80 | HTTPS]),
    literal(AUTHORITY, 'localhost'),
    literal(PATH, path),
    ...(token === '' ? [] : [literal(AUTHORIZATION, `Bearer ${token}`)]),
  ]);
}

/** The index of the last field that a connection has remembered (RFC 7541, 2.3.3). */
const LAST_REMEMBERED = 62;

/** A request with one cookie, which the other side must remember together with the name of the host. */
export function remembered(path: string, cookie: string): Buffer {
  const kept = (index: number, value: string): Buffer => {
    const bytes = literal(index, value);
    // This is like the others, but it has six bits for the index, and the other side must remember it.
    return Buffer.concat([Buffer.from([0x40 | index]), bytes.subarray(index < 15 ? 1 : 2)]);
  };
  return Buffer.concat([
    Buffer.from([0x80 | GET, 0x80 | HTTPS]),
    literal(PATH, path),
    kept(AUTHORITY, 'localhost'),
    kept(COOKIE, cookie),
  ]);
}

/** The same request with the same cookie many times, each in one byte. */
export function indexed(cookies: number): Buffer {
  const known = [0x80 | GET, 0x80 | HTTPS, 0x80 | ROOT, 0x80 | (LAST_REMEMBERED + 1)];
  return Buffer.concat([Buffer.from(known), Buffer.alloc(cookies, 0x80 | LAST_REMEMBERED)]);
}

/** Flags of frames. */
const END_STREAM = 1;
const END_HEADERS = 4;
const PADDED = 8;

/** A request without a body. The streams of a client have odd numbers. */
export function get(stream: number, path: string, token = ''): Buffer {
  return frame(1, END_STREAM + END_HEADERS, stream, head(path, { token }));
}

/** Frames that clients may send endlessly. Each function makes the n-th piece of a flood. */
export const FLOODS: Readonly<Record<string, (n: number) => Buffer>> = {
  'resets of streams': (n) => Buffer.concat([get(2 * n + 1, '/'), frame(3, 0, 2 * n + 1, word(8))]),
  pings: () => frame(6, 0, 0, Buffer.alloc(8)),
  settings: () => frame(4, 0, 0, setting(3, 100)),
  'heads without end': (n) =>
    n === 0 ? frame(1, 0, 1, head('/')) : frame(9, 0, 1, Buffer.from([0x40, 1, 0x61, 1, 0x62])),
  'empty pieces of heads': (n) => (n === 0 ? frame(1, 0, 1, head('/')) : frame(9, 0, 1)),
  'windows of the connection': () => frame(8, 0, 0, word(1)),
  'windows of a stream': (n) =>
    n === 0 ? frame(1, END_HEADERS, 1, head('/', { method: 'POST' })) : frame(8, 0, 1, word(1)),
  priorities: (n) => frame(2, 0, 2 * (n % 100) + 1, Buffer.from([0, 0, 0, 0, 16])),
  'empty pieces of bodies': (n) => (n === 0 ? frame(1, END_HEADERS, 1, head('/', { method: 'POST' })) : frame(0, 0, 1)),
  padding: (n) =>
    n === 0
      ? frame(1, END_HEADERS, 1, head('/', { method: 'POST' }))
      : frame(0, PADDED, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)])),
  'bodies of single bytes': (n) =>
    n === 0 ? frame(1, END_HEADERS, 1, head('/later', { method: 'POST' })) : frame(0, 0, 1, Buffer.from('x')),
  'many bodies of single bytes': (n) =>
    n % 1000 === 0
      ? frame(1, END_HEADERS, n / 500 + 1, head('/later', { method: 'POST' }))
      : frame(0, 0, 2 * Math.floor(n / 1000) + 1, Buffer.from('x')),
  'frames of no known kind': () => frame(0x50, 0, 0, Buffer.alloc(8)),
};
