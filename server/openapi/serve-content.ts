import type { Answer, Headers } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';

/** A body with everything that conditional requests compare. */
export interface ServedContent {
  readonly contentType: string;
  /** With quotes; undefined when the body has none. */
  readonly etag: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly headers: Headers;
  body(): Promise<Buffer>;
  /** The same body compressed; undefined when there is no such form. */
  readonly gzip: Buffer | undefined;
}

type Range = { readonly start: number; readonly end: number };

/** Answers a request for a body: conditions first, then ranges, then all of it (RFC 9110, sections 13 and 14). */
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
  const wanted = context.header('range');
  if (wanted !== undefined && rangeApplies(context, content)) {
    const body = await content.body();
    const range = parseRange(wanted, body.length);
    if (range === 'beyond') {
      return { kind: 'empty', status: 416, headers: { ...headers, 'Content-Range': `bytes */${body.length}` } };
    }
    if (range !== undefined) {
      const span = { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${body.length}` };
      const part = body.subarray(range.start, range.end);
      return { kind: 'bytes', status: 206, contentType, body: part, headers: { ...headers, ...span } };
    }
    return { kind: 'bytes', status: 200, contentType, body, headers };
  }
  if (content.gzip !== undefined && acceptsGzip(context)) {
    const compressed = { 'Content-Encoding': 'gzip', Vary: varyWith(headers['Vary'], 'Accept-Encoding') };
    return { kind: 'bytes', status: 200, contentType, body: content.gzip, headers: { ...headers, ...compressed } };
  }
  return { kind: 'bytes', status: 200, contentType, body: await content.body(), headers };
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

/** What the conditions of a request come to: a status to answer instead of the body. */
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

/** Whether a list of tags names the body; weak tags count only when `weak`. `*` names any body. */
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

/** A range counts only for the body that the client has a part of. */
function rangeApplies(context: RequestContext, { etag, lastModified }: ServedContent): boolean {
  const condition = context.header('if-range');
  if (condition === undefined) return true;
  if (condition.startsWith('"') || condition.startsWith('W/')) return condition === etag;
  return dateOf(condition) === seconds(lastModified);
}

/** The one range of a header; undefined when it asks for several, which may be answered with everything. */
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
