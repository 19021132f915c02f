import type { Answer, Headers } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';
import { plainLength } from './join-packed.ts';
import { unpackPieces } from './pack.ts';

/** A body with everything that conditional requests need. */
export interface ServedContent {
  readonly contentType: string;
  /** The ETag with its quotes; undefined if the body has none. */
  readonly etag: string | undefined;
  /** The time in milliseconds since the epoch. */
  readonly lastModified: number;
  readonly headers: Headers;
  /** The compressed body (gzip), or a function that creates it when it is needed. */
  readonly body: Buffer | (() => Promise<Buffer>);
}

/**
 * The size in bytes from which a body is sent in pieces. Each piece is sent after the client has read the previous one.
 */
const PIECE = 256 * 1024;

type Range = { readonly start: number; readonly end: number };

/** Answers a request for a body: conditions first, then ranges, then the whole body (RFC 9110, sections 13 and 14). */
export async function serveContent(context: RequestContext, content: ServedContent): Promise<Answer> {
  const refused = precondition(context, content);
  const modified = new Date(content.lastModified).toUTCString();
  const tagged: Headers = { ...content.headers, ...(content.etag === undefined ? {} : { ETag: content.etag }) };
  if (refused === 412) return { kind: 'empty', status: 412, headers: tagged };
  if (refused === 304) {
    const headers = content.etag === undefined ? { ...tagged, 'Last-Modified': modified } : tagged;
    return { kind: 'empty', status: 304, headers };
  }
  const headers: Headers = { ...tagged, 'Last-Modified': modified, 'Accept-Ranges': 'bytes' };
  const { contentType } = content;
  const answer = (status: number, body: Bytes, more: Headers = {}): Answer => ({
    kind: 'bytes',
    status,
    contentType,
    headers: { ...headers, ...more },
    ...body,
  });
  const bytes = typeof content.body === 'function' ? await content.body() : content.body;
  const isPacked = typeof content.body === 'function';
  const wanted = context.header('range');
  const length = isPacked ? plainLength({ gzip: bytes }) : bytes.length;
  if (wanted !== undefined && rangeApplies(context, content)) {
    const range = parseRange(wanted, length);
    if (range === 'beyond')
      return { kind: 'empty', status: 416, headers: { ...headers, 'Content-Range': `bytes */${length}` } };
    if (range === undefined) return answer(200, plain(bytes, isPacked, { start: 0, end: length }));
    const span = { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${length}` };
    return answer(206, plain(bytes, isPacked, range), span);
  }
  if (isPacked && acceptsGzip(context)) {
    const compressed = { 'Content-Encoding': 'gzip', Vary: varyWith(headers['Vary'], 'Accept-Encoding') };
    return answer(200, plain(bytes, false, { start: 0, end: bytes.length }), compressed);
  }
  return answer(200, plain(bytes, isPacked, { start: 0, end: length }));
}

type Bytes = { readonly body: Buffer } | { readonly body: AsyncIterable<Buffer>; readonly length: number };

/** A part of a body. A large part is never completely in memory for one client. */
function plain(bytes: Buffer, isPacked: boolean, { start, end }: Range): Bytes {
  if (isPacked) return { body: part(unpackPieces(bytes), { start, end }), length: end - start };
  const wanted = bytes.subarray(start, end);
  return wanted.length <= PIECE ? { body: wanted } : { body: pieces(wanted), length: wanted.length };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

async function* part(all: AsyncIterable<Buffer>, { start, end }: Range): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of all) {
    const wanted = piece.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (wanted.length > 0) yield wanted;
    at += piece.length;
    if (at >= end) return;
  }
}

function acceptsGzip(context: RequestContext): boolean {
  const values = (context.header('accept-encoding') ?? '').split(',').map((value) => value.replaceAll(' ', ''));
  return values.some((value) => /^(gzip|\*)($|;)/.test(value) && !/;q=0(\.0*)?$/.test(value));
}

function varyWith(known: string | readonly string[] | undefined, name: string): string {
  const names = String(known ?? '')
    .split(/, */)
    .filter((value) => value !== '' && value !== name);
  return [name, ...names].join(', ');
}

/** The result of a request's conditions: a status that replaces the body. */
function precondition(context: RequestContext, { etag, lastModified }: ServedContent): 304 | 412 | undefined {
  const reads = context.info.method === 'GET' || context.info.method === 'HEAD';
  const ifMatch = context.header('if-match');
  const ifNoneMatch = context.header('if-none-match');
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etag, false)) return 412;
  } else {
    const limit = dateOf(context.header('if-unmodified-since'));
    if (limit !== undefined && seconds(lastModified) > limit) return 412;
  }
  if (ifNoneMatch !== undefined) {
    if (!matches(ifNoneMatch, etag, true)) return undefined;
    return reads ? 304 : 412;
  }
  const since = reads ? dateOf(context.header('if-modified-since')) : undefined;
  return since !== undefined && seconds(lastModified) <= since ? 304 : undefined;
}

/** Whether a list of tags names the body. Weak tags count only if `weak` is set. `*` names any body. */
function matches(list: string, etag: string | undefined, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  return list.split(',').some((item) => {
    const tag = item.trim();
    return etag !== undefined && (weak ? tag.replace(/^W\//, '') : tag) === etag;
  });
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function dateOf(text: string | undefined): number | undefined {
  const milliseconds = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : seconds(milliseconds);
}

/** Whether a range applies. It applies only to the body of which the client already has a part. */
function rangeApplies(context: RequestContext, { etag, lastModified }: ServedContent): boolean {
  const condition = context.header('if-range');
  if (condition === undefined) return true;
  if (condition.startsWith('"') || condition.startsWith('W/')) return condition === etag;
  return dateOf(condition) === seconds(lastModified);
}

/**
 * The only range of a header. Undefined if it asks for several, because the server may then answer with the whole body.
 */
function parseRange(header: string, length: number): Range | 'beyond' | undefined {
  const found = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header);
  if (found === null) return header.startsWith('bytes=') && header.includes(',') ? undefined : 'beyond';
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return 'beyond';
  if (first === '') return last === '0' ? 'beyond' : { start: Math.max(0, length - Number(last)), end: length };
  const start = Number(first);
  if (start >= length || (last !== '' && Number(last) < start)) return 'beyond';
  return { start, end: last === '' ? length : Math.min(length, Number(last) + 1) };
}
