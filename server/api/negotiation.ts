import { notAcceptable, StatusError as Refusal, type StatusError } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Negotiated } from './request-context.ts';

/** One range of an Accept header. */
export interface MediaRange {
  type: string;
  subtype: string;
  quality: number;
  params: Map<string, string>;
}

/**
 * The largest number of media ranges in an Accept header. The server ignores the rest, because each range costs some
 * microseconds.
 */
const MOST_RANGES = 100;

/**
 * The media ranges of an Accept header, the preferred one first. Ranges without a slash are dropped. A malformed
 * quality is treated as 1.
 */
export function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const part of header.split(',', MOST_RANGES)) {
    const [media = '', ...rest] = part.split(';');
    const slash = media.indexOf('/');
    if (slash < 0) continue;
    const params = new Map<string, string>();
    let quality = 1;
    for (const item of rest) {
      const eq = item.indexOf('=');
      if (eq < 0) continue;
      const key = item.slice(0, eq).trim().toLowerCase();
      const value = item.slice(eq + 1).trim();
      if (key === 'q') {
        const number = Number(value);
        quality = value !== '' && Number.isFinite(number) ? number : 1;
      } else params.set(key, value);
    }
    ranges.push({
      type: media.slice(0, slash).trim().toLowerCase(),
      subtype: media
        .slice(slash + 1)
        .trim()
        .toLowerCase(),
      quality,
      params,
    });
  }
  return ranges.sort((a, b) => b.quality - a.quality);
}

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/** The forms of answers that a route has. */
export interface Offer {
  /** Whether `as=` forms exist here (objects and lists, not discovery). */
  readonly transforms: boolean;
  /** Whether tables are among them: resources that can only be created have no columns. */
  readonly tables?: boolean;
  /** Whether the route can also stream a watch: the 406 lists those types too. */
  readonly watchable: boolean;
  /** The answer is a stream of events, which YAML cannot be. */
  readonly streams?: boolean;
  /** Whether `application/*` matches the existing types, as on paths that do not declare their types. */
  readonly ranges?: boolean;
  /** Whether objects have a protobuf form; their metadata alone always has. Missing means yes. */
  readonly protobuf?: boolean;
}

/** The accepted media types for a message, in order. */
function offered(naming: Naming, offer: Offer): string[] {
  const plain = ['application/json', 'application/yaml', naming.protobufMediaType];
  return offer.watchable
    ? [...plain, 'application/json;stream=watch', `${naming.protobufMediaType};stream=watch`]
    : plain;
}

/** The refusal for a path that does not support any of the accepted media types. */
function nothingAcceptable(types: readonly string[]): StatusError {
  const list = types.join(', ');
  return new Refusal(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${list}`, {});
}

/**
 * Checks an Accept header against the types of a path. Only the range of all types matches types that the header does
 * not name.
 *
 * @throws 406 unless the header names one of the types.
 */
export function checkAccepted(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === '') return;
  const ranges = accept.split(',', MOST_RANGES).map((range) => range.split(';', 1)[0]!.trim());
  if (!ranges.some((range) => range === '*/*' || types.includes(range))) throw nothingAcceptable(types);
}

/** Whether a transform's parameters fit; `undefined` when the range must be skipped. */
function transformOf(
  range: MediaRange,
  format: Negotiated['format'],
  naming: Naming,
  offer: Offer,
): Pick<Negotiated, 'as' | 'asVersion'> | undefined {
  // `watch` is the one form of a stream, which the query asks for
  if ((range.params.get('stream') ?? 'watch') !== 'watch') return undefined;
  const as = range.params.get('as');
  const group = range.params.get('g');
  const version = range.params.get('v');
  if (as === undefined && group === undefined && version === undefined) return { as: undefined, asVersion: 'v1' };
  if (!offer.transforms || as === undefined || !TRANSFORMS.has(as) || group !== naming.group('meta')) return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  // Cells can have any type, and a protobuf message cannot express that.
  if (as === 'Table' && (format === 'protobuf' || offer.tables === false)) return undefined;
  return { as: as as NonNullable<Negotiated['as']>, asVersion: version };
}

/** The true values of `pretty`. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Answers shown to people: asked for by `pretty`, or by default to tools that people run by hand. */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked === '' || TRUE.has(asked);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/**
 * Chooses the form of an answer: the best supported range of the Accept header (RFC 9110, 12.5.1).
 *
 * @throws 406 with the list of types, if no range matches one of them, or if a range asks for an unknown `as=` form and
 * no other range matches
 */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  userAgent: string | undefined,
  naming: Naming,
  offer: Offer,
): Negotiated {
  const pretty = wantsPretty(query, userAgent);
  if (accept === undefined || accept === '' || accept === '*/*') {
    return { format: 'json', as: undefined, asVersion: 'v1', pretty };
  }
  const protobuf = naming.protobufMediaType.slice('application/'.length);
  let named = false;
  for (const range of parseAccept(accept)) {
    const { type, subtype } = range;
    let format: Negotiated['format'] | undefined;
    if (type === '*' && subtype === '*') format = 'json';
    else if (type !== 'application') continue;
    else if (subtype === 'json' || (subtype === '*' && offer.ranges === true)) format = 'json';
    else if (subtype === 'yaml') format = 'yaml';
    else if (subtype === protobuf) format = 'protobuf';
    if (format === undefined) continue;
    named = true;
    if (format === 'yaml' && offer.streams === true) throw acceptedOnly(naming, true);
    const transform = transformOf(range, format, naming, offer);
    if (transform === undefined) continue;
    if (format === 'protobuf' && offer.protobuf === false && transform.as === undefined) continue;
    return { format, ...transform, pretty };
  }
  if (!named && offer.protobuf !== false) throw nothingAcceptable(offered(naming, offer));
  throw acceptedOnly(naming);
}

/** The 406 of routes that do not say which representations they have, and of unknown `as=` forms. */
export function acceptedOnly(naming: Naming, streams = false): StatusError {
  const types = offered(naming, { transforms: true, watchable: true });
  const list = types.filter((type) => type.includes(';stream=') === streams).join(', ');
  return notAcceptable(`only the following media types are accepted: ${list}`);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** One parameter (RFC 9110, 5.6.6). Two parts of it cannot match the same blanks. */
const PARAMETER = new RegExp(`;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`, 'y');

/** Whether what follows a media type is parameters to its end. */
function areParameters(text: string): boolean {
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < text.length) if (!PARAMETER.test(text)) return false;
  return true;
}

/**
 * The media type of a request body without its parameters, in lower case; `''` if there is none. With malformed
 * parameters the whole header is the type, which is then unknown.
 */
export function mediaType(contentType: string | undefined): string {
  const type = patchType(contentType).toLowerCase();
  const semicolon = contentType?.indexOf(';') ?? -1;
  return semicolon < 0 || areParameters(contentType!.slice(semicolon)) ? type : contentType!;
}

/** The same as spelt: the case of the types of patches matters. */
export function patchType(contentType: string | undefined): string {
  if (contentType === undefined) return '';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim();
}
