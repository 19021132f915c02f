import { compareText } from '#base/collections/sort-short.ts';
import { StatusError } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType, ValueType } from '../descriptors/types.ts';
import { canonicalForm, type Lost } from './canonical.ts';
import { TypeMismatch } from './type-mismatch.ts';

export interface DecodeOptions {
  /**
   * Called with the path of each field that the message does not have (`spec.containers[0].bar`), in document order.
   */
  readonly unknown?: (path: string) => void;
  /** Whether unknown fields are reported in the order of the names of fields, and not in document order. */
  readonly sorted?: boolean;
  /**
   * Whether the body is that of a request. If so, fields that only admission sees are kept until the object gets its
   * stored form.
   */
  readonly inRequest?: boolean;
  /** Whether each null of the client is kept, even if no value may be null. The schema is checked later. */
  readonly keepNulls?: boolean;
  /** Called with the facts about the body that the object does not show. */
  readonly lost?: (lost: Lost) => void;
}

/** The error 400 about a value of the body that does not fit its type. */
export class DecodeError extends StatusError {
  /** The error without the kind before it. */
  readonly detail: string;

  constructor(kind: string, version: string, detail: string) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${kind}: ${detail}`);
    this.detail = detail;
  }
}

/**
 * A parsed body as an object of a message, in canonical form. It is a fresh object that shares nothing with the body.
 * `null` becomes an empty object. Enumerations and required fields are not checked here.
 *
 * @throws DecodeError
 * @example
 * decodeObject(loadSchema().message('meta.v1.LabelSelector'), { matchLabels: { b: '2', a: '1' }, x: 1 })
 * // => { matchLabels: { a: '1', b: '2' } }
 */
export function decodeObject(type: MessageType, value: JsonValue, options: DecodeOptions = {}): JsonObject {
  try {
    const { form, sawUnknown, lost } = canonicalForm(type, value, options);
    options.lost?.(lost);
    if (sawUnknown && options.unknown !== undefined)
      reportUnknown({ report: options.unknown, sorted: options.sorted === true }, type, value, '');
    return form as JsonObject;
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw new DecodeError(type.shortName, type.name.split('.').at(-2) ?? '', error.message);
  }
}

interface Reporter {
  readonly report: (path: string) => void;
  readonly sorted: boolean;
}

/**
 * Reports the fields of a value that its message does not have. They are rare, so a separate walk finds them in the
 * order of the document.
 */
function reportUnknown(to: Reporter, type: MessageType, value: JsonValue, path: string): void {
  if (type.jsonForm !== 'object') {
    reportInForm(to, type, value, path);
    return;
  }
  if (!isObject(value)) return;
  const prefix = path === '' ? '' : `${path}.`;
  for (const key of keysOf(to, value)) {
    if (type.typeMeta && (key === 'kind' || key === 'apiVersion')) continue;
    const field = type.byJsonName.get(key) ?? type.off.get(key);
    if (field === undefined) to.report(`${prefix}${key}`);
    else reportInField(to, field, value[key] ?? null, `${prefix}${key}`);
  }
}

function reportInField(to: Reporter, field: FieldType, value: JsonValue, path: string): void {
  if (field.message === undefined) return;
  if (field.repeated) reportInList(to, field, value, path);
  else if (field.map && isObject(value)) {
    for (const key of keysOf(to, value)) reportUnknown(to, field.message, value[key] ?? null, `${path}.${key}`);
  } else if (!field.map) reportUnknown(to, field.message, value, path);
}

function reportInList(to: Reporter, type: ValueType, value: JsonValue, path: string): void {
  const message = type.message;
  if (message === undefined || !Array.isArray(value)) return;
  value.forEach((item, index) => {
    reportUnknown(to, message, item, `${path}[${index}]`);
  });
}

function keysOf(to: Reporter, value: JsonObject): string[] {
  const keys = Object.keys(value);
  return to.sorted ? keys.sort(compareText) : keys;
}

/** Reports unknown fields in messages that have a special JSON form and contain other messages. */
function reportInForm(to: Reporter, type: MessageType, value: JsonValue, path: string): void {
  if (!type.jsonForm.startsWith('schema-or-') && type.jsonForm !== 'items') return;
  for (const field of type.fields) {
    if (field.message === undefined) continue;
    if (field.repeated) reportInList(to, field, value, path);
    else if (isObject(value)) reportUnknown(to, field.message, value, path);
  }
}
