import { JsonNumber } from '#base/json/json-value.ts';
import { numberOf } from '../exact-number.ts';
import { unquote } from './unquote.ts';

/** A step of a path. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
      readonly one: boolean;
    }
  | {
      readonly kind: 'filter';
      readonly left: readonly Node[];
      readonly operator: string;
      readonly right: readonly Node[];
    }
  | { readonly kind: 'union'; readonly parts: readonly (readonly Node[])[] };

/** A part of a template. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: boolean | number | JsonNumber; readonly float?: boolean }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'action'; readonly nodes: readonly Node[] };

/** The error about a malformed template. */
export class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
}

/** Parses text with `{…}` in it. @throws PathSyntaxError if the template is malformed */
export function parseTemplate(template: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    if (open < 0) {
      nodes.push({ kind: 'text', text: template.slice(at) });
      break;
    }
    if (open > at) nodes.push({ kind: 'text', text: template.slice(at, open) });
    const reader = new Reader(template, open + 1);
    nodes.push({ kind: 'action', nodes: reader.action('}') });
    at = reader.at;
  }
  return nodes;
}

/** Characters that end a word. */
const TERMINATOR = /[\s.,[\]{}$@]/;
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}_]/u;
const INT64 = 2n ** 63n;

/** Parses the content of braces. */
class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Parses the text up to and including the closing brace. */
  action(end: string): Node[] {
    const nodes: Node[] = [];
    let steps: Step[] | undefined;
    const path = () => {
      if (steps === undefined) {
        steps = [];
        nodes.push({ kind: 'path', steps });
      }
      return steps;
    };
    for (;;) {
      const char = this.#text[this.at];
      if (char === undefined) throw new PathSyntaxError('unclosed action');
      if (char === end) {
        this.at++;
        return nodes;
      }
      if (char === ' ') {
        this.at++;
        steps = undefined;
      } else if (char === '\n' || char === '\r') throw new PathSyntaxError('unclosed action');
      else if (char === '@' || char === '$') {
        // Both mean the current item, as in loops and filters.
        this.at++;
        path();
      } else if (char === '.') {
        this.at++;
        if (this.#text[this.at] === '.') {
          this.at++;
          if (endsRecursive(nodes)) throw new PathSyntaxError('invalid multiple recursive descent');
          path().push({ kind: 'recursive' });
          if (LETTER_OR_DIGIT.test(this.#text[this.at] ?? '')) this.#field(path());
        } else this.#field(path());
      } else if (char === '[') {
        this.at++;
        path().push(this.#brackets());
      } else if (char === '"' || char === "'") {
        steps = undefined;
        nodes.push({ kind: 'text', text: this.#quoted(char) });
      } else if (/[0-9+-]/.test(char)) {
        steps = undefined;
        nodes.push(this.#number());
      } else if (LETTER_OR_DIGIT.test(char)) {
        const word = this.#word();
        steps = undefined;
        if (word === 'true' || word === 'false') nodes.push({ kind: 'value', value: word === 'true' });
        else nodes.push({ kind: 'identifier', name: word });
      } else throw new PathSyntaxError(`unrecognized character in action: ${characterName(char)}`);
    }
  }

  #number(): Node {
    const digits = /^[+-]?[0-9.]*/.exec(this.#text.slice(this.at))![0];
    if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(digits)) throw new PathSyntaxError(`cannot parse number ${digits}`);
    this.at += digits.length;
    const float =
      digits.includes('.') || BigInt(digits.replace('+', '')) >= INT64 || BigInt(digits.replace('+', '')) < -INT64;
    const exact = numberOf(digits);
    return float
      ? { kind: 'value', value: Number(digits), float }
      : { kind: 'value', value: typeof exact === 'bigint' ? new JsonNumber(String(exact)) : exact };
  }

  #word(): string {
    let word = '';
    while (this.at < this.#text.length && !TERMINATOR.test(this.#text[this.at]!)) word += this.#text[this.at++]!;
    return word;
  }

  /** The text between quotes. A quote after a backslash does not end it. */
  #quoted(quote: string): string {
    const from = this.at;
    for (this.at++; ; this.at++) {
      const char = this.#text[this.at];
      if (char === undefined || char === '\n') throw new PathSyntaxError('unterminated quoted string');
      if (char === quote && this.#text[this.at - 1] !== '\\') break;
    }
    const written = this.#text.slice(from, ++this.at);
    const text = unquote(written.slice(1, -1), quote);
    if (text === undefined) throw new PathSyntaxError(`unquote string ${written} error invalid syntax`);
    return text;
  }

  #field(steps: Step[]): void {
    let name = '';
    for (;;) {
      const char = this.#text[this.at];
      if (char === undefined || TERMINATOR.test(char)) break;
      this.at++;
      if (char === '\\') name += this.#text[this.at++] ?? '';
      else name += char;
    }
    steps.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name });
  }

  /** The content of brackets, after the opening bracket. */
  #brackets(): Step {
    if (this.#text.startsWith('?(', this.at)) return this.#filter();
    const inner = this.#until(']');
    const parts = inner.split(',');
    if (parts.length > 1) return { kind: 'union', parts: parts.map((part) => nodesOf(part.replace(/^ +| +$/g, ''))) };
    const dictionary = DICTIONARY.exec(inner);
    return dictionary === null ? sliceOf(inner) : { kind: 'union', parts: [nodesOf(inner)] };
  }

  #until(end: string): string {
    const from = this.at;
    for (; this.at < this.#text.length && this.#text[this.at] !== '\n'; this.at++)
      if (this.#text[this.at] === end) return this.#text.slice(from, this.at++);
    throw new PathSyntaxError('unterminated array');
  }

  #filter(): Step {
    this.at += 2;
    const from = this.at;
    let quote = '';
    for (; this.#text[this.at] !== ')' || quote !== ''; this.at++) {
      const char = this.#text[this.at];
      if (char === undefined || char === '\n') throw new PathSyntaxError('unterminated filter');
      if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === quote && this.#text[this.at - 1] !== '\\') quote = '';
    }
    const inner = this.#text.slice(from, this.at);
    this.at++;
    if (this.#text[this.at] !== ']') throw new PathSyntaxError('unclosed array expect ]');
    this.at++;
    const match = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(inner);
    const side = (text: string) => new Reader(`${text}}`, 0).action('}');
    if (match === null) return { kind: 'filter', left: side(inner), operator: 'exists', right: [] };
    return { kind: 'filter', left: side(match[1]!), operator: match[2]!, right: side(match[3]!) };
  }
}

/** Whether the last step is `..`, in this path or in the previous path. */
function endsRecursive(nodes: readonly Node[]): boolean {
  const last = nodes.findLast((node) => node.kind !== 'path' || node.steps.length > 0);
  return last?.kind === 'path' && last.steps.at(-1)?.kind === 'recursive';
}

/** Matches a name in quotes, which is itself a path. */
const DICTIONARY = /^'([^']*)'$/;

/** The nodes of one part between brackets. */
function nodesOf(part: string): Node[] {
  const dictionary = DICTIONARY.exec(part);
  return dictionary === null
    ? [{ kind: 'path', steps: [sliceOf(part)] }]
    : new Reader(`.${dictionary[1]}}`, 0).action('}');
}

/** Parses an index, a slice or a star. */
function sliceOf(text: string): Step {
  if (text === '*') return { kind: 'slice', from: undefined, to: undefined, step: 1, one: false };
  const match = /^(-?\d*)(?:(:)(-?\d*)(?::(-?\d*))?)?$/.exec(text);
  if (match === null) throw new PathSyntaxError(`invalid array index ${text}`);
  const number = (digits: string | undefined) => {
    if (digits === undefined || digits === '') return undefined;
    if (digits === '-' || !Number.isSafeInteger(Number(digits)))
      throw new PathSyntaxError(`array index ${digits} is not a number`);
    return Number(digits);
  };
  return {
    kind: 'slice',
    from: number(match[1]),
    to: number(match[3]),
    step: number(match[4]) ?? 1,
    one: match[2] === undefined,
  };
}

/** A character in the form of error messages. */
function characterName(char: string): string {
  const code = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{C}\p{Z}]/u.test(char) ? code : `${code} '${char}'`;
}
