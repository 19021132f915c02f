import { goSyntax, goText } from '../go-syntax.ts';

/** A template that does not fit the object. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** More text than anybody reads. */
export const LONGEST = 64 << 20;

type Lazy = () => unknown;

/** What counts as true: all but nothing, zero and what is empty. */
export function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || 'toJSON' in value || Object.keys(value).length > 0;
}

/** Calls a function with arguments that are worked out as it wants them. */
export function callFunction(name: string, args: readonly Lazy[]): unknown {
  if (name === 'and' || name === 'or') {
    let value: unknown;
    for (const arg of args) {
      value = arg();
      if (isTrue(value) === (name === 'or')) return value;
    }
    return value;
  }
  const body = functions.get(name);
  if (body === undefined) throw new TemplateError(`function ${JSON.stringify(name)} not defined`);
  const value = body(args.map((arg) => arg()));
  if (typeof value === 'string' && value.length > LONGEST) throw new TemplateError(`error calling ${name}: too long`);
  return value;
}

type Body = (args: readonly unknown[]) => unknown;

const functions: ReadonlyMap<string, Body> = new Map<string, Body>([
  ['not', ([value]) => !isTrue(value)],
  ['len', ([value]) => lengthOf(value)],
  ['index', ([value, ...keys]) => keys.reduce<unknown>(indexed, value)],
  [
    'slice',
    ([value, from, to]) => {
      if (typeof value !== 'string' && !Array.isArray(value))
        throw new TemplateError(
          `error calling slice: can't slice item of type ${value === null ? 'nil' : typeof value}`,
        );
      return value.slice(Number(from ?? 0), to === undefined ? undefined : Number(to));
    },
  ],
  ['print', (args) => printed(args)],
  ['println', (args) => `${args.map(goText).join(' ')}\n`],
  ['printf', ([format, ...args]) => formatted(String(format), args)],
  [
    'html',
    (args) =>
      printed(args).replaceAll(/[&<>"']/g, (char) =>
        `&#${char.charCodeAt(0)};`.replace('&#38;', '&amp;').replace('&#60;', '&lt;').replace('&#62;', '&gt;'),
      ),
  ],
  [
    'js',
    (args) =>
      JSON.stringify(printed(args))
        .slice(1, -1)
        .replaceAll(/[<>&='"]/g, (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
  ['urlquery', (args) => encodeURIComponent(printed(args)).replaceAll('%20', '+')],
  ['exists', ([value, ...keys]) => keys.reduce<unknown>((inner, key) => childOf(inner, key), value) !== undefined],
  ['base64decode', ([value]) => Buffer.from(String(value), 'base64').toString()],
  [
    'call',
    () => {
      throw new TemplateError('there is nothing to call');
    },
  ],
  ['eq', ([first, ...others]) => others.some((other) => same(first, other))],
  ['ne', ([a, b]) => !same(a, b)],
  ['lt', ([a, b]) => order(a, b) < 0],
  ['le', ([a, b]) => order(a, b) <= 0],
  ['gt', ([a, b]) => order(a, b) > 0],
  ['ge', ([a, b]) => order(a, b) >= 0],
]);

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new TemplateError(`error calling len: len of ${value === undefined ? 'nil pointer' : `type ${typeof value}`}`);
}

function childOf(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, String(key)) ? (value as Readonly<Record<string, unknown>>)[String(key)] : undefined;
}

function indexed(value: unknown, key: unknown): unknown {
  if (value === undefined || value === null) throw new TemplateError('error calling index: index of untyped nil');
  if (Array.isArray(value) && (Number(key) < 0 || Number(key) >= value.length))
    throw new TemplateError(`error calling index: reflect: slice index out of range`);
  return childOf(value, key);
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && a !== null)
    throw new TemplateError('error calling eq: incompatible types for comparison');
  return a === b;
}

function order(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) throw new TemplateError('error calling lt: incompatible types for comparison');
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

/** As `print`: a space between two that are no texts. */
function printed(args: readonly unknown[]): string {
  return args
    .map((arg, at) =>
      at > 0 && typeof arg !== 'string' && typeof args[at - 1] !== 'string' ? ` ${goText(arg)}` : goText(arg),
    )
    .join('');
}

/** The widest that numbers and texts are padded to, as in the field's clients. */
const WIDEST = 1e6;

function formatted(format: string, args: readonly unknown[]): string {
  let at = 0;
  const text = format.replaceAll(
    /%([-+# 0]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width?: string, precision?: string, verb?: string) => {
      if (verb === '%') return '%';
      if (at >= args.length) return `%!${verb}(MISSING)`;
      if (Number(precision ?? 0) > WIDEST) return `%!(BADPREC)`;
      if (Number(width ?? 0) > WIDEST) return `%!(BADWIDTH)`;
      const shown = verbText(verb!, args[at++], flags, precision);
      const wide = Number(width ?? 0);
      if (flags.includes('-')) return shown.padEnd(wide);
      return flags.includes('0') && /^[-+]?\d/.test(shown) ? shown.padStart(wide, '0') : shown.padStart(wide);
    },
  );
  if (at >= args.length) return text;
  return `${text}%!(EXTRA ${args
    .slice(at)
    .map((arg) => `${typeof arg}=${goText(arg)}`)
    .join(', ')})`;
}

/** Decimals beyond those that a double has are zeros. */
function fixed(value: number, digits: number): string {
  return value.toFixed(Math.min(100, digits)) + '0'.repeat(Math.max(0, digits - 100));
}

function verbText(verb: string, value: unknown, flags: string, precision: string | undefined): string {
  switch (verb) {
    case 'd':
      if (typeof value !== 'number') return `%!d(${typeof value}=${goText(value)})`;
      return flags.includes('+') && value >= 0 ? `+${value}` : String(value);
    case 'f':
      return fixed(Number(value), Number(precision ?? 6));
    case 'x':
      return typeof value === 'number' ? value.toString(16) : Buffer.from(String(value)).toString('hex');
    case 'q':
      return JSON.stringify(String(value));
    case 's':
    case 'v':
      if (verb === 'v' && flags.includes('#')) return goSyntax(value);
      return precision === undefined ? goText(value) : goText(value).slice(0, Number(precision));
    case 't':
      return String(value);
    case 'T':
      return typeof value;
    default:
      return `%!${verb}(${goText(value)})`;
  }
}
