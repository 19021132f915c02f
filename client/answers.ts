import type { ApiObject } from '#schema/objects/api-object.ts';
import type { StatusBody } from './errors.ts';

/** The error about an answer, or a part of it, that does not have the form of the interface. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

type Fields = Readonly<Record<string, unknown>>;

const TEXTS = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'];
const TEXT_MAPS = ['labels', 'annotations'];
const LISTS = ['finalizers', 'ownerReferences', 'managedFields'];

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks an object that a server sent: that it is an object and has metadata of the right form. Missing metadata
 * becomes empty.
 *
 * @param where the name of the value in the message
 * @throws AnswerError
 */
export function objectOf<T extends ApiObject = ApiObject>(value: unknown, where = 'the answer of the server'): T {
  if (!isFields(value)) throw new AnswerError(`${where} is ${formOf(value)} where an object belongs`);
  const metadata = value['metadata'] ?? {};
  if (!isFields(metadata)) throw new AnswerError(`metadata of ${where} is ${formOf(metadata)}`);
  const wrong = (field: string, found: unknown) => new AnswerError(`metadata.${field} of ${where} is ${formOf(found)}`);
  for (const field of TEXTS) {
    const text = metadata[field] ?? '';
    if (typeof text !== 'string') throw wrong(field, text);
  }
  for (const field of TEXT_MAPS) {
    const map = metadata[field] ?? {};
    if (!isFields(map)) throw wrong(field, map);
    for (const text of Object.values(map)) if (typeof text !== 'string') throw wrong(`${field}[…]`, text);
  }
  for (const field of LISTS) {
    const list = metadata[field] ?? [];
    if (!Array.isArray(list)) throw wrong(field, list);
    for (const item of list) if (item === null) throw wrong(`${field}[…]`, item);
  }
  return (value['metadata'] === metadata ? value : { ...value, metadata }) as T;
}

/** The items of a list that a server sent, and the list's metadata. @throws AnswerError */
export function listOf<T extends ApiObject>(value: unknown): { metadata: Fields; items: T[] } {
  if (!isFields(value)) throw new AnswerError(`the answer of the server is ${formOf(value)} where a list belongs`);
  const { metadata, items } = { metadata: value['metadata'] ?? {}, items: value['items'] ?? [] };
  if (!isFields(metadata) || typeof (metadata['continue'] ?? '') !== 'string')
    throw new AnswerError('metadata of the list that the server sent is of another form');
  if (!Array.isArray(items)) throw new AnswerError(`items of the list that the server sent is ${formOf(items)}`);
  return { metadata, items: items.map((item, at) => objectOf<T>(item, `items[${at}] that the server sent`)) };
}

/** The valid parts of a Status from a server; undefined if the value is not a Status. */
export function statusOf(value: unknown): StatusBody | undefined {
  if (!isFields(value) || value['kind'] !== 'Status') return undefined;
  const { message, reason, code, details, metadata, ...rest } = value;
  return {
    ...rest,
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof code === 'number' ? { code } : {}),
    ...(isFields(metadata) ? { metadata } : {}),
    ...(isFields(details) ? { details: detailsOf(details) } : {}),
  } as StatusBody;
}

function detailsOf({ causes, retryAfterSeconds, ...texts }: Fields): Fields {
  return {
    ...textsIn(texts),
    ...(Array.isArray(causes) ? { causes: causes.filter(isFields).map(textsIn) } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}

function textsIn(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
}

/** The objects in a list, if the value is a list; other items are left out. */
export function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The texts in a list, if the value is a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The value if it is a text; otherwise the empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The type of a value, in words for messages. */
export function formOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
