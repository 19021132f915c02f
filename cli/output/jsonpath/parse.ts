/** A step of a path. */
export type Step =
  | { readonly kind: 'root' }
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

/** What a template is made of. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'action'; readonly nodes: readonly Node[] };

/** A template that cannot be read. */
export class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
}

/** Reads text with `{…}` in it. @throws PathSyntaxError */
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

const WORD = /[A-Za-z0-9_$\-/\\:+]/;

/** Reads the inside of braces. */
class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Up to and with the closing brace. */
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
      if (char === ' ' || char === '\t') {
        this.at++;
        steps = undefined;
      } else if (char === '\n' || char === '\r') throw new PathSyntaxError('unclosed action');
      else if (char === '$') {
        this.at++;
        path().push({ kind: 'root' });
      } else if (char === '@') {
        this.at++;
        path();
      } else if (char === '.') {
        this.at++;
        if (this.#text[this.at] === '.') {
          this.at++;
          path().push({ kind: 'recursive' });
          if (/[\w*\\-]/.test(this.#text[this.at] ?? '')) this.#field(path());
        } else this.#field(path());
      } else if (char === '[') {
        this.at++;
        path().push(this.#brackets());
      } else if (char === '"' || char === "'") {
        steps = undefined;
        nodes.push({ kind: 'text', text: this.quoted(char) });
      } else if (/[0-9]/.test(char) || (/[+-]/.test(char) && /[0-9]/.test(this.#text[this.at + 1] ?? ''))) {
        steps = undefined;
        const number = /^[+-]?[0-9][0-9.eE+-]*/.exec(this.#text.slice(this.at))![0];
        if (Number.isNaN(Number(number))) throw new PathSyntaxError(`cannot parse number ${number}`);
        this.at += number.length;
        nodes.push({ kind: 'value', value: Number(number) });
      } else if (WORD.test(char)) {
        let word = '';
        while (this.at < this.#text.length && WORD.test(this.#text[this.at]!)) word += this.#text[this.at++]!;
        steps = undefined;
        if (word === 'true' || word === 'false') nodes.push({ kind: 'value', value: word === 'true' });
        else nodes.push({ kind: 'identifier', name: word });
      } else
        throw new PathSyntaxError(
          `unrecognized character in action: U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} '${char}'`,
        );
    }
  }

  /** A text in quotes, without them. */
  quoted(quote: string): string {
    let text = '';
    for (this.at++; ; this.at++) {
      const char = this.#text[this.at];
      if (char === undefined || char === '\n') throw new PathSyntaxError('unterminated quoted string');
      if (char === quote) {
        this.at++;
        return text;
      }
      if (char !== '\\') text += char;
      else {
        const next = this.#text[++this.at] ?? '';
        text += next === 'n' ? '\n' : next === 't' ? '\t' : next === 'r' ? '\r' : next;
      }
    }
  }

  #field(steps: Step[]): void {
    let name = '';
    for (;;) {
      const char = this.#text[this.at];
      if (char === undefined || /[\s.[\]{},()=<>!|&"'@]/.test(char)) break;
      this.at++;
      if (char === '\\') name += this.#text[this.at++] ?? '';
      else name += char;
    }
    // `.` alone is a field without a name, before brackets it is nothing.
    if (name === '' && this.#text[this.at] === '[') return;
    steps.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name });
  }

  /** What stands in brackets, of which the first is read already. */
  #brackets(): Step {
    if (this.#text.startsWith('?(', this.at)) return this.#filter();
    const inner = this.#until(']');
    const parts = splitOutside(inner, ',');
    if (parts.length > 1)
      return { kind: 'union', parts: parts.map((part) => [{ kind: 'path', steps: [one(part.trim())] }]) };
    return one(inner.trim());
  }

  #until(end: string): string {
    const from = this.at;
    for (let quote = ''; this.at < this.#text.length; this.at++) {
      const char = this.#text[this.at]!;
      if (quote !== '') {
        if (char === '\\') this.at++;
        else if (char === quote) quote = '';
      } else if (char === '"' || char === "'") quote = char;
      else if (char === end) return this.#text.slice(from, this.at++);
    }
    throw new PathSyntaxError('unterminated array');
  }

  #filter(): Step {
    this.at += 2;
    const from = this.at;
    let depth = 1;
    let quote = '';
    for (; this.at < this.#text.length; this.at++) {
      const char = this.#text[this.at]!;
      if (quote !== '') {
        if (char === quote) quote = '';
      } else if (char === '"' || char === "'") quote = char;
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) break;
    }
    if (depth > 0) throw new PathSyntaxError('unterminated filter');
    const inner = this.#text.slice(from, this.at);
    this.at++;
    if (this.#text[this.at] !== ']') throw new PathSyntaxError('unclosed array expect ]');
    this.at++;
    const match = /^((?:[^"'=<>!]|"[^"]*"|'[^']*')*?)(==|!=|<=|>=|<|>)(.*)$/s.exec(inner);
    const side = (text: string) => new Reader(`${text.trim()}}`, 0).action('}');
    if (match === null) return { kind: 'filter', left: side(inner), operator: 'exists', right: [] };
    return { kind: 'filter', left: side(match[1]!), operator: match[2]!, right: side(match[3]!) };
  }
}

/** One part of what stands in brackets: a name in quotes, an index, a slice or a star. */
function one(text: string): Step {
  if (text === '*') return { kind: 'wildcard' };
  const quote = text[0];
  if ((quote === "'" || quote === '"') && text.endsWith(quote) && text.length > 1)
    return { kind: 'field', name: text.slice(1, -1).replaceAll(/\\(.)/g, '$1') };
  const match = /^(-?\d*)(?:(:)(-?\d*)(?::(-?\d*))?)?$/.exec(text);
  if (match === null || text === '') throw new PathSyntaxError(`invalid array index ${text}`);
  const number = (digits: string | undefined) => (digits === undefined || digits === '' ? undefined : Number(digits));
  return {
    kind: 'slice',
    from: number(match[1]),
    to: number(match[3]),
    step: number(match[4]) ?? 1,
    one: match[2] === undefined,
  };
}

function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let quote = '';
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === separator) {
      parts.push('');
      continue;
    }
    parts[parts.length - 1] += char;
  }
  return parts;
}
