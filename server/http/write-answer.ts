import { createGzip, type Gzip } from 'node:zlib';
import { fairTurn, turnIfDue } from '#base/time/fair-turn.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { EndingAnswer, Headers } from '../api/answer.ts';
import type { OutgoingResponse } from '../api/exchange.ts';
import type { ListContent } from '../api/list-content.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { EncodedList } from '../codecs/chunker.ts';
import { recycle } from '../codecs/chunker.ts';
import { encodeList } from '../codecs/encode-list.ts';
import { encodeObject } from '../codecs/encode-object.ts';
import { transformObject } from '../codecs/transform.ts';
import type { Registry } from '../resources/registry.ts';
import { LEAST_TO_READ } from './late-answers.ts';

/** The size from which an answer is compressed for clients that accept this, in bytes. */
const GZIP_OVER = 128 * 1024;

/** The compression level. With level 1, a list of 17 MB costs 19 ms, and with the default level 36 ms. */
const GZIP_LEVEL = 1;

/** The size of the compressor's output pieces, in bytes. */
const GZIP_CHUNK = 64 * 1024;

/** The number of answer bytes after which other requests run. */
const TURN_BYTES = 1 << 20;

/** Whether a client accepts gzip, with a weight above zero. */
function acceptsGzip(context: RequestContext): boolean {
  const encodings = (context.header('accept-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.replaceAll(' ', ''));
  return encodings.some((encoding) => /^gzip($|;)/.test(encoding) && !/;q=0(\.0*)?$/.test(encoding));
}

function setHeaders(response: OutgoingResponse, headers: Headers | undefined): void {
  for (const [name, value] of Object.entries(headers ?? {}))
    response.setHeader(name, value as string | readonly string[]);
}

/**
 * Waits until the socket can accept more data. False if the client has disconnected, or if `deadlineAt` (of
 * `performance.now()`) has passed.
 */
function drained(response: OutgoingResponse, deadlineAt?: number): Promise<boolean> | boolean {
  if (!response.writableNeedDrain) return !response.destroyed;
  return new Promise((resolve) => {
    const settle = (drained: boolean): void => {
      clearTimeout(overdue);
      response.off('close', close).off('drain', drain);
      resolve(drained);
    };
    const drain = (): void => settle(true);
    const close = (): void => settle(false);
    response.once('close', close).once('drain', drain);
    const left = deadlineAt === undefined ? undefined : Math.max(0, deadlineAt - performance.now());
    const overdue = left === undefined ? undefined : setTimeout(close, timerMs(left));
  });
}

/** Recycles the chunk after the socket has accepted it. After a failure the socket may still use it. */
function writeChunk(response: OutgoingResponse, chunk: Buffer): boolean {
  return response.write(chunk, (error) => {
    if (error === undefined || error === null) recycle(chunk);
  });
}

/**
 * Disconnects a client that has not read everything by the deadline. It may never read, and the waiting data uses
 * memory.
 */
async function writeChunks(
  response: OutgoingResponse,
  chunks: AsyncIterable<Buffer>,
  deadlineAt?: number,
): Promise<void> {
  let written = 0;
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (writeChunk(response, chunk) || (await drained(response, deadlineAt))) {
      written += chunk.length;
      if (written < TURN_BYTES) continue;
      written = 0;
      await fairTurn();
      continue;
    }
    response.destroy();
    return;
  }
  response.end();
}

/** The deadline for the client to read an answer, in milliseconds of `performance.now()`. */
function timeToRead({ deadlineAt }: RequestContext): number {
  return Math.max(deadlineAt, performance.now() + LEAST_TO_READ);
}

/** The size of a list in bytes before which other requests may run, if this turn of the event loop has taken long. */
const SMALL_PIECE = 32 * 1024;

/**
 * Makes an answer in one piece. `make` creates the body. If the head is sent with the body, `make` leaves that number
 * of bytes free before the body. Otherwise TLS would copy the two into a new buffer.
 */
function withHead(response: OutgoingResponse, make: (room: number) => Buffer): Buffer {
  const head = response.takeHead?.() ?? '';
  const piece = make(head.length);
  if (head !== '') piece.write(head, 0, 'latin1');
  return piece;
}

/**
 * Writes a list in pieces. It sends the length if it is known or small, and compresses the list if that saves enough.
 */
async function writeList(
  response: OutgoingResponse,
  status: number,
  encoded: EncodedList,
  gzip: boolean,
  context: RequestContext,
): Promise<void> {
  const deadlineAt = timeToRead(context);
  response.setHeader('Content-Type', encoded.contentType);
  const { whole, length } = encoded;
  if (whole !== undefined && length !== undefined && !(gzip && length > GZIP_OVER)) {
    const due = length > SMALL_PIECE ? turnIfDue() : undefined;
    if (due !== undefined) await due;
    if (response.destroyed) return;
    response.setHeader('Content-Length', length);
    response.writeHead(status);
    writeChunk(response, withHead(response, whole));
    response.end();
    return;
  }
  const iterator = encoded.chunks[Symbol.asyncIterator]();
  const next = () => iterator.next();
  const piece = () => encoding(context, next);
  const first = await piece();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  // A larger answer is sent in pieces, so that the server never makes more of it than the client reads.
  const second = first.done === true || head.length > GZIP_OVER ? first : await piece();
  if (second.done === true && head.length <= GZIP_OVER) {
    response.setHeader('Content-Length', head.length);
    response.writeHead(status);
    writeChunk(response, head);
    response.end();
    return;
  }
  if (gzip) {
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
  } else if (encoded.length !== undefined) response.setHeader('Content-Length', encoded.length);
  response.writeHead(status);
  // If a head is sent in the same turn as the first piece, TLS copies both into a new buffer.
  response.flushHeaders();
  // Several lists that start at once must not block other requests for the sum of their starts.
  await fairTurn();
  const all = async function* (): AsyncGenerator<Buffer> {
    yield head;
    if (second.done === true) return;
    if (second !== first) yield second.value;
    for (let next = await piece(); next.done !== true; next = await piece()) yield next.value;
  };
  await (gzip ? writeCompressed(response, all(), deadlineAt) : writeChunks(response, all(), deadlineAt));
}

/**
 * Gives a piece to a compressor. Resolves to false if the compressor was destroyed, because it then never reports the
 * pieces that it still holds.
 */
function taken(gzip: Gzip, chunk: Buffer): Promise<boolean> {
  if (gzip.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const closed = (): void => resolve(false);
    gzip.once('close', closed);
    gzip.write(chunk, (error) => {
      gzip.off('close', closed);
      resolve(error === undefined || error === null);
    });
  });
}

/**
 * Compresses one piece after the other. The next one follows when the client has read the output for the previous one.
 */
async function writeCompressed(
  response: OutgoingResponse,
  chunks: AsyncIterable<Buffer>,
  deadlineAt: number,
): Promise<void> {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: GZIP_CHUNK });
  const feed = async (): Promise<void> => {
    for await (const chunk of chunks) {
      if (!(await taken(gzip, chunk))) return;
      recycle(chunk);
    }
    gzip.end();
  };
  const feeding = feed().catch((error: Error) => gzip.destroy(error));
  await writeChunks(response, gzip, deadlineAt);
  await feeding;
}

/** Pieces in one buffer, after `room` unused bytes. */
function joined(chunks: readonly Buffer[], length: number, room: number): Buffer {
  const whole = Buffer.allocUnsafe(room + length);
  let at = room;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

async function* single(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * Encodes a list and writes it piece by piece. Encoding is a traced stage of its request, because it may wait for a
 * conversion webhook.
 */
async function sendList(
  response: OutgoingResponse,
  status: number,
  content: ListContent,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
): Promise<void> {
  const encoded = await encoding(context, () => encodeList(registry, content, negotiated, context));
  if (context.info.method !== 'HEAD') {
    await writeList(response, status, encoded, acceptsGzip(context), context);
    return;
  }
  response.setHeader('Content-Type', encoded.contentType);
  response.writeHead(status);
  response.end();
}

/** Measures the time of an encoding. */
async function encoding<T>({ stages }: RequestContext, encode: () => Promise<T>): Promise<T> {
  stages.enter('encoding');
  try {
    return await encode();
  } finally {
    stages.leave('encoding');
  }
}

/** Sends an answer to the client. This is the only place that writes to sockets. */
export async function writeAnswer(
  response: OutgoingResponse,
  answer: EndingAnswer,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
): Promise<void> {
  const { stages } = context;
  const began = performance.now();
  stages.enter('writing', began);
  if (answer.kind === 'hijacked') return;
  const head = context.info.method === 'HEAD';
  setHeaders(response, answer.headers);
  switch (answer.kind) {
    case 'object': {
      stages.enter('encoding', began);
      const content = transformObject(registry, answer.content, negotiated, context);
      const { contentType, chunks } = encodeObject(content, negotiated, registry.naming);
      stages.leave('encoding');
      let length = 0;
      for (const chunk of chunks) length += chunk.length;
      if (length > GZIP_OVER && acceptsGzip(context) && !head) {
        await writeList(response, answer.status, { contentType, chunks: single(chunks) }, true, context);
        return;
      }
      response.setHeader('Content-Type', contentType);
      response.setHeader('Content-Length', length);
      response.writeHead(answer.status);
      if (head) response.end();
      else if (response.takeHead !== undefined) {
        response.end(withHead(response, (room) => joined(chunks, length, room)));
      } else {
        response.cork();
        for (const chunk of chunks) response.write(chunk);
        response.end();
        response.uncork();
      }
      return;
    }
    case 'list': {
      const { status, content } = answer;
      await sendList(response, status, content, negotiated, context, registry);
      return;
    }
    case 'text':
      if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.setHeader('Content-Length', Buffer.byteLength(answer.text));
      response.writeHead(answer.status);
      response.end(head ? undefined : answer.text);
      return;
    case 'empty':
      response.writeHead(answer.status);
      response.end();
      return;
    default: {
      response.setHeader('Content-Type', answer.contentType);
      if (Buffer.isBuffer(answer.body)) {
        response.setHeader('Content-Length', answer.body.length);
        response.writeHead(answer.status);
        response.end(head ? undefined : answer.body);
      } else if (answer.compress === true && !head) {
        const encoded = { contentType: answer.contentType, chunks: answer.body };
        await writeList(response, answer.status, encoded, acceptsGzip(context), context);
      } else if (answer.length !== undefined) {
        response.setHeader('Content-Length', answer.length);
        response.writeHead(answer.status);
        if (head) response.end();
        else await writeChunks(response, answer.body, timeToRead(context));
      } else {
        response.writeHead(answer.status);
        await writeChunks(response, answer.body);
      }
    }
  }
}
