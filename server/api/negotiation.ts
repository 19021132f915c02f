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
 * quality counts as 1.
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
  /** Whether the route has the `as=` forms. Objects and lists have them, and discovery does not. */
  readonly transforms: boolean;
  /** Whether the forms include tables. A resource whose objects can only be created has no columns. */
  readonly tables?: boolean;
  /** Whether the route can also stream a watch. If so, the 406 lists those types too. */
  readonly watchable: boolean;
  /** Whether the answer is a stream of events. It cannot be YAML. */
  readonly streams?: boolean;
  /** Whether `application/*` matches the existing types. On paths that do not declare their types it does. */
  readonly ranges?: boolean;
  /** Whether objects have a protobuf form. Missing means yes. Their metadata alone always has one. */
  readonly protobuf?: boolean;
}

/** The accepted media types for a message, in order. */
function offered(naming: Naming, offer: Offer): string[] {
  const plain = ['application/json', 'application/yaml', naming.protobufMediaType];
  return offer.watchable
    ? [...plain, 'application/json;stream=watch', `${naming.protobufMediaType};stream=watch`]
    : plain;
}

/** The refusal of a path that supports none of the accepted media types. */
function nothingAcceptable(types: readonly string[]): StatusError {
  const list = types.join(', ');
  return new Refusal(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${list}`, {});
}

/**
 * Checks an Accept header against the types of a path. A type that the header does not name is matched only by the
 * range of all types.
 *
 * @throws StatusError (406) if the header matches none of the types
 */
export function checkAccepted(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === '') return;
  const ranges = accept.split(',', MOST_RANGES).map((range) => range.split(';', 1)[0]!.trim());
  if (!ranges.some((range) => range === '*/*' || types.includes(range))) throw nothingAcceptable(types);
}

/** Whether the parameters of a transform are valid; `undefined` if the range must be skipped. */
function transformOf(
  range: MediaRange,
  format: Negotiated['format'],
  naming: Naming,
  offer: Offer,
): Pick<Negotiated, 'as' | 'asVersion'> | undefined {
  // `watch` is the one form of a stream. The query requests it.
  if ((range.params.get('stream') ?? 'watch') !== 'watch') return undefined;
  const as = range.params.get('as');
  const group = range.params.get('g');
  const version = range.params.get('v');
  if (as === undefined && group === undefined && version === undefined) return { as: undefined, asVersion: 'v1' };
  if (!offer.transforms || as === undefined || !TRANSFORMS.has(as) || group !== naming.group('meta')) return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  // Cells can have any type. A protobuf message cannot express this.
  if (as === 'Table' && (format === 'protobuf' || offer.tables === false)) return undefined;
  return { as: as as NonNullable<Negotiated['as']>, asVersion: version };
}

/** The true values of `pretty`. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * Whether an answer is formatted for people. `pretty` requests this, and it is the default for tools that people use by
 * hand.
 */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked === '' || TRUE.has(asked);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/**
 * Chooses the form of an answer: the best supported range of the Accept header (RFC 9110, 12.5.1).
 *
 * @throws StatusError (406) with the list of types, if no range matches one of them, or if a range asks for an unknown
 * `as=` form and no other range matches
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

/** The 406 of routes that do not name their representations, and of unknown `as=` forms. */
export function acceptedOnly(naming: Naming, streams = false): StatusError {
  const types = offered(naming, { transforms: true, watchable: true });
  const list = types.filter((type) => type.includes(';stream=') === streams).join(', ');
  return notAcceptable(`only the following media types are accepted: ${list}`);
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/**
 * Matches one parameter (RFC 9110, 5.6.6). The expression is such that two of its parts cannot match the same blanks.
 */
const PARAMETER = new RegExp(`;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`, 'y');

/** Whether the text after a media type consists only of parameters. */
function areParameters(text: string): boolean {
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < text.length) if (!PARAMETER.test(text)) return false;
  return true;
}

/**
 * The media type of a request body without its parameters, in lower case. It is `''` if there is none. With malformed
 * parameters the whole header is the type, which is then unknown.
 */
export function mediaType(contentType: string | undefined): string {
  const type = patchType(contentType).toLowerCase();
  const semicolon = contentType?.indexOf(';') ?? -1;
  return semicolon < 0 || areParameters(contentType!.slice(semicolon)) ? type : contentType!;
}

/** The media type in its original spelling, because upper and lower case matter for the types of patches. */
export function patchType(contentType: string | undefined): string {
  if (contentType === undefined) return '';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim();
}
