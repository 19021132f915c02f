import { exactNumber } from '../exact-number.ts';
import { goSyntax, goText } from '../go-syntax.ts';

/** The error about a template that does not fit the object. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The largest size of a text. No person reads so much text. */
export const LONGEST = 64 << 20;

/** A value and the name of its type in Go. */
export interface Held {
  readonly value: unknown;
  readonly type: string;
}

/** The type of a place in an object, independent of its value. */
export const ANYTHING = 'interface {}';

/** A value of an object, with its own type. */
export function held(value: unknown): Held {
  const plain = exactNumber(value) ?? value;
  return { value: plain, type: typeOf(plain) };
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'object' ? 'map[string]interface {}' : 'string';
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Whether a value counts as true. All values count, except null, zero and empty values. */
export function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || 'toJSON' in value || Object.keys(value).length > 0;
}

type Body = (args: readonly Held[], words: readonly string[]) => unknown;

interface TemplateFunction {
  readonly least: number;
  readonly most: number;
  /** The number of first arguments that must be texts. */
  readonly texts: number;
  readonly body: Body;
}

/** The function with this name, and its number of arguments. @throws TemplateError if the function does not exist */
export function signatureOf(name: string): TemplateFunction {
  const found = functions.get(name);
  if (found === undefined) throw new TemplateError(`${JSON.stringify(name)} is not a defined function`);
  return found;
}

/**
 * Calls a function with its arguments evaluated as the function needs them.
 * @param words the arguments as the template contains them
 * @param fail called when the function does not accept the arguments
 */
export function callFunction(
  name: string,
  args: readonly (() => Held)[],
  words: readonly string[],
  fail: () => void,
): Held {
  if (name === 'and' || name === 'or') {
    let last = held(undefined);
    for (const arg of args) {
      last = arg();
      if (isTrue(last.value) === (name === 'or')) return last;
    }
    return last;
  }
  // A value of an `any` place has its own type here.
  const given = args.map((arg) => {
    const one = arg();
    return one.type === ANYTHING ? held(one.value) : one;
  });
  try {
    const value = signatureOf(name).body(given, words);
    if (typeof value === 'string' && value.length > LONGEST) throw new TemplateError('too long');
    return { value, type: name === 'len' ? 'int' : typeOf(value) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    fail();
    throw new TemplateError(`error calling ${name}: ${error.message}`);
  }
}

const variadic = (least: number, body: Body, texts = 0): TemplateFunction => ({
  ...{ least, body, texts },
  most: Number.POSITIVE_INFINITY,
});
const fixedly = (count: number, body: Body, texts = 0): TemplateFunction => ({
  ...{ least: count, most: count, body, texts },
});
const valuesOf = (args: readonly Held[]): unknown[] => args.map(({ value }) => value);

const functions: ReadonlyMap<string, TemplateFunction> = new Map([
  // `callFunction` evaluates their arguments one by one, until the result is certain.
  ...['and', 'or'].map((name) => [name, variadic(1, () => undefined)] as const),
  ['not', fixedly(1, ([one]) => !isTrue(one!.value))],
  ['len', fixedly(1, ([one]) => lengthOf(one!))],
  ['index', variadic(1, ([item, ...keys]) => keys.reduce(indexed, item!).value)],
  ['slice', variadic(1, ([item, ...bounds]) => sliced(item!, bounds))],
  ['print', variadic(0, (args) => printed(valuesOf(args)))],
  ['println', variadic(0, (args) => `${valuesOf(args).map(goText).join(' ')}\n`)],
  ['printf', variadic(1, ([format, ...args]) => formatted(String(format!.value), args), 1)],
  ['html', variadic(0, (args) => printed(valuesOf(args)).replaceAll(/[&<>"'\0]/g, (char) => HTML[char]!))],
  ['js', variadic(0, (args) => scriptText(printed(valuesOf(args))))],
  ['urlquery', variadic(0, (args) => queryText(printed(valuesOf(args))))],
  ['exists', variadic(1, ([item, ...keys]) => isThere(item!.value, valuesOf(keys)))],
  ['base64decode', fixedly(1, ([one]) => decoded(String(one!.value)), 1)],
  ['call', variadic(1, ([one], words) => notCalled(one!, words[0] ?? ''))],
  ['eq', variadic(1, ([first, ...others]) => isAny(first!, others))],
  ['ne', fixedly(2, ([a, b]) => !same(a!, b!))],
  ['lt', fixedly(2, ([a, b]) => order(a!, b!) < 0)],
  ['le', fixedly(2, ([a, b]) => order(a!, b!) <= 0)],
  ['gt', fixedly(2, ([a, b]) => order(a!, b!) > 0)],
  ['ge', fixedly(2, ([a, b]) => order(a!, b!) >= 0)],
]);

/** The functions that templates may call. */
export const functionNames: ReadonlySet<string> = new Set(functions.keys());

const HTML: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;', '\0': '\uFFFD' },
};

function scriptText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/["']/g, (char) => `\\${char}`)
    .replaceAll(/[<>&=]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function queryText(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function lengthOf({ value, type }: Held): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  if (value === undefined || value === null)
    throw new TemplateError('reflect: call of reflect.Value.Type on zero Value');
  throw new TemplateError(`len of type ${type}`);
}

/**
 * An index of a list or text.
 * @param length the number of valid indexes, which for slices is one more than the number of items
 */
function placeIn({ value, type }: Held, length: number): number {
  if (value === undefined || value === null) throw new TemplateError('cannot index slice/array with nil');
  if (typeof value === 'bigint') throw new TemplateError(`index out of range: ${value}`);
  if (typeof value !== 'number' || type === 'float64')
    throw new TemplateError(`cannot index slice/array with type ${type}`);
  if (value < 0 || value >= length) throw new TemplateError(`index out of range: ${value}`);
  return value;
}

function indexed({ value, type }: Held, key: Held): Held {
  if (value === undefined) throw new TemplateError('index of untyped nil');
  if (value === null) throw new TemplateError('index of nil pointer');
  if (Array.isArray(value)) return inner(value[placeIn(key, value.length)] as unknown);
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return { value: bytes[placeIn(key, bytes.length)], type: 'uint8' };
  }
  if (typeof value !== 'object') throw new TemplateError(`can't index item of type ${type}`);
  if (key.value === undefined || key.value === null) throw new TemplateError('value is nil; should be string');
  if (typeof key.value !== 'string') throw new TemplateError(`value has type ${key.type}; should be string`);
  // A missing value has a type but no members.
  return inner(Object.hasOwn(value, key.value) ? (value as Record<string, unknown>)[key.value] : null);
}

/** An item of a list or map. */
const inner = (value: unknown): Held => held(value ?? null);

function sliced({ value, type }: Held, bounds: readonly Held[]): unknown {
  if (value === undefined || value === null) throw new TemplateError('slice of untyped nil');
  if (bounds.length > 3) throw new TemplateError(`too many slice indexes: ${bounds.length}`);
  if (typeof value === 'string' && bounds.length === 3) throw new TemplateError('cannot 3-index slice a string');
  if (typeof value !== 'string' && !Array.isArray(value)) throw new TemplateError(`can't slice item of type ${type}`);
  const items = typeof value === 'string' ? Buffer.from(value) : value;
  const [from = 0, to = items.length, most = items.length] = bounds.map((bound) => placeIn(bound, items.length + 1));
  if (from > to) throw new TemplateError(`invalid slice index: ${from} > ${to}`);
  if (to > most) throw new TemplateError(`invalid slice index: ${to} > ${most}`);
  return typeof value === 'string' ? items.slice(from, to).toString() : items.slice(from, to);
}

function isThere(value: unknown, keys: readonly unknown[]): boolean {
  let current = value;
  for (const key of keys) {
    if (Array.isArray(current)) current = typeof key === 'number' ? (current[key] as unknown) : undefined;
    else if (typeof current !== 'object' || current === null || typeof key !== 'string') return false;
    else current = Object.hasOwn(current, key) ? (current as Record<string, unknown>)[key] : undefined;
    if (current === undefined) return false;
  }
  return true;
}

function decoded(text: string): string {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const wrong = /[^A-Za-z0-9+/]/.exec(plain.replace(/={1,2}$/, ''));
  if (wrong !== null || plain.length % 4 !== 0)
    throw new TemplateError(
      `base64 decode failed: illegal base64 data at input byte ${wrong?.index ?? plain.length - (plain.length % 4)}`,
    );
  return Buffer.from(plain, 'base64').toString();
}

function notCalled({ value, type }: Held, word: string): never {
  if (value === undefined || value === null) throw new TemplateError('call of nil');
  throw new TemplateError(`non-function ${word} of type ${type}`);
}

/** The type by which two values are compared. Undefined for values that have no order and no equality. */
function comparable({ value, type }: Held): string | undefined {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'object') return undefined;
  return isNumber(value) && type !== 'float64' ? 'int' : type;
}

function isAny(first: Held, others: readonly Held[]): boolean {
  if (others.length === 0) throw new TemplateError('missing argument for comparison');
  return others.some((other) => same(first, other));
}

function same(a: Held, b: Held): boolean {
  const [one, other] = [comparable(a), comparable(b)];
  if (one === 'nothing' || other === 'nothing') return one === other;
  if (one === undefined && other === undefined)
    throw new TemplateError(`non-comparable type ${goText(a.value)}: ${a.type}`);
  if (one !== other) throw new TemplateError('incompatible types for comparison');
  // biome-ignore lint/suspicious/noDoubleEquals: both have one type, in which integers beyond doubles are bigints
  return a.value == b.value;
}

function order(a: Held, b: Held): number {
  const [one, other] = [comparable(a), comparable(b)];
  if (one === undefined || one === 'nothing' || one === 'bool') throw new TemplateError('invalid type for comparison');
  if (one !== other) throw new TemplateError('incompatible types for comparison');
  const [first, second] = [a.value as number, b.value as number];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Works like `print`. It adds a space between two neighbours if neither is a text. */
function printed(args: readonly unknown[]): string {
  return args
    .map((arg, at) =>
      at > 0 && typeof arg !== 'string' && typeof args[at - 1] !== 'string' ? ` ${goText(arg)}` : goText(arg),
    )
    .join('');
}

/** The largest width to which numbers and texts are padded, as in the field's clients. */
const WIDEST = 1e6;

function formatted(format: string, args: readonly Held[]): string {
  let at = 0;
  const text = format.replaceAll(
    /%([-+# 0]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width?: string, precision?: string, verb?: string) => {
      if (verb === '%') return '%';
      if (at >= args.length) return `%!${verb}(MISSING)`;
      if (Number(precision ?? 0) > WIDEST) return `%!(BADPREC)`;
      if (Number(width ?? 0) > WIDEST) return `%!(BADWIDTH)`;
      const shown = verbText(verb!, args[at++]!, flags, precision);
      const wide = Number(width ?? 0);
      if (flags.includes('-')) return shown.padEnd(wide);
      return flags.includes('0') && /^[-+]?\d/.test(shown) ? shown.padStart(wide, '0') : shown.padStart(wide);
    },
  );
  if (at >= args.length) return text;
  const extra = args.slice(at).map(({ value, type }) => `${type}=${goText(value)}`);
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

/** Digits beyond the precision of a double are zeros. */
function fixed(value: number, digits: number): string {
  return value.toFixed(Math.min(100, digits)) + '0'.repeat(Math.max(0, digits - 100));
}

function verbText(verb: string, arg: Held, flags: string, precision: string | undefined): string {
  const { value, type } = arg;
  const wrong = () => (type === '<nil>' ? `%!${verb}(<nil>)` : `%!${verb}(${type}=${goText(value)})`);
  const isWhole = isNumber(value) && type !== 'float64';
  switch (verb) {
    case 'd':
      if (!isWhole) return wrong();
      return flags.includes('+') && value >= 0 ? `+${value}` : String(value);
    case 'f':
      return typeof value === 'number' && !isWhole ? fixed(value, Number(precision ?? 6)) : wrong();
    case 'x':
      if (isWhole) return value.toString(16);
      return typeof value === 'string' ? Buffer.from(value).toString('hex') : wrong();
    case 'q':
      return typeof value === 'string' ? JSON.stringify(value) : wrong();
    case 's':
      if (isNumber(value) || typeof value === 'boolean' || type === '<nil>') return wrong();
      return precision === undefined ? goText(value) : goText(value).slice(0, Number(precision));
    case 'v':
      return flags.includes('#') ? goSyntax(value) : goText(value);
    case 't':
      return typeof value === 'boolean' ? String(value) : wrong();
    case 'T':
      return type;
    default:
      return wrong();
  }
}
