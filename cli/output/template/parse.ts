import { numberOf } from '../exact-number.ts';
import { functionNames } from './functions.ts';
import { type Token, tokensOf } from './lex.ts';
import { type Command, type Operand, type Parsed, type Part, type Pipeline, written } from './node.ts';

export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * Parses a template in the language of Go's text/template (https://pkg.go.dev/text/template).
 * @throws TemplateSyntaxError if the template is malformed
 */
export function parseGoTemplate(text: string): Parsed {
  return new Parser(text).parse();
}

/** The ends of a list of parts. */
type End = 'end' | 'else' | 'end of text';

/** The kinds of tokens with which a command begins. */
const BEGINS: ReadonlySet<string> = new Set([
  'bool',
  'character',
  'field',
  'function',
  'number',
  'raw',
  'string',
  'variable',
  'left paren',
]);

/** The largest depth of nested parts. People do not write deeper templates. */
const DEEPEST = 1000;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #defined = new Map<string, readonly Part[]>();
  #at = 0;
  /** The line of the token that was read last. */
  #line = 1;
  /** The line of the action that is being read. 0 means outside of an action. */
  #actionLine = 0;
  #ranges = 0;
  #depth = 0;
  #variables = ['$'];

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  parse(): Parsed {
    const { parts, end, line } = this.#parts(true);
    if (end !== 'end of text') throw new TemplateSyntaxError(`unexpected {{${end}}}`, line);
    return { text: this.#text, parts, defined: this.#defined };
  }

  #fail(message: string): never {
    throw new TemplateSyntaxError(message, this.#line);
  }

  /** @param ofTemplate whether these parts may define templates */
  #parts(ofTemplate: boolean): { parts: Part[]; end: End; line: number } {
    const parts: Part[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end of text') return { parts, end: token.kind, line: token.line };
      if (token.kind === 'text') {
        parts.push({ kind: 'text', text: token.text });
        continue;
      }
      if (token.kind !== 'open') this.#unexpected(token, 'input');
      this.#actionLine = token.line;
      const word = this.#nextNonSpace();
      const name = word.kind === 'word' ? word.text : '';
      if (name === 'end' || name === 'else') {
        if (name === 'end') this.#close('end');
        else if (!['if', 'with'].includes(this.#peekNonSpace().text)) this.#close('else');
        return { parts, end: name, line: this.#line };
      }
      if (name === 'define' && ofTemplate) this.#define();
      else parts.push(this.#action(word));
      this.#actionLine = 0;
    }
  }

  #action(word: Token): Part {
    if (word.kind === 'word')
      switch (word.text) {
        case 'if':
        case 'with':
        case 'range':
          return this.#control(word.text);
        case 'break':
        case 'continue': {
          const shown = `{{${word.text}}}` as const;
          const next = this.#nextNonSpace();
          if (next.kind !== 'close') this.#unexpected(next, shown);
          if (this.#ranges === 0) this.#fail(`${shown} outside {{range}}`);
          return { kind: word.text };
        }
        case 'template': {
          const { name, at } = this.#name('template clause');
          const isBare = this.#peekNonSpace().kind === 'close';
          if (isBare) this.#nextNonSpace();
          const pipeline = isBare ? undefined : this.#pipeline('template clause', 'close');
          return { kind: 'template', name, at, pipeline };
        }
        case 'block': {
          const { name, at } = this.#name('block clause');
          const pipeline = this.#pipeline('block clause', 'close');
          this.#body(name, 'block clause');
          return { kind: 'template', name, at, pipeline };
        }
        default:
      }
    this.#at--;
    const known = this.#variables.length;
    const pipeline = this.#pipeline('command', 'close');
    if (pipeline.assigns) this.#variables.length = known;
    return { kind: 'output', pipeline };
  }

  #define(): void {
    const { name } = this.#name('define clause');
    this.#close('define clause');
    this.#body(name, 'define clause');
  }

  #body(name: string, context: string): void {
    const [outer, ranges] = [this.#variables, this.#ranges];
    [this.#variables, this.#ranges] = [['$'], 0];
    const { parts, end } = this.#parts(false);
    if (end === 'end of text') this.#fail('unexpected EOF');
    if (end !== 'end') this.#fail(`unexpected {{${end}}} in ${context}`);
    [this.#variables, this.#ranges] = [outer, ranges];
    this.#defined.set(name, parts);
  }

  #control(kind: 'if' | 'with' | 'range'): Part {
    const known = this.#variables.length;
    const pipeline = this.#pipeline(kind, 'close');
    if (kind === 'range') this.#ranges++;
    const body = this.#parts(false);
    if (kind === 'range') this.#ranges--;
    let otherwise: readonly Part[] = [];
    const after = this.#peekNonSpace();
    if (body.end === 'else' && kind !== 'range' && after.kind === 'word' && after.text === kind) {
      this.#nextNonSpace();
      otherwise = [this.#control(kind)];
    } else if (body.end === 'else') {
      if (after.kind === 'word' && ['if', 'with'].includes(after.text)) this.#close('else');
      const { parts, end } = this.#parts(false);
      if (end === 'end of text') this.#fail('unexpected EOF');
      if (end !== 'end') this.#fail(`expected end; found {{${end}}}`);
      otherwise = parts;
    } else if (body.end === 'end of text') this.#fail('unexpected EOF');
    this.#variables.length = known;
    return { kind, pipeline, body: body.parts, otherwise };
  }

  #name(context: string): { name: string; at: number } {
    const token = this.#nextNonSpace();
    if (token.kind !== 'string' && token.kind !== 'raw') this.#unexpected(token, context);
    return { name: this.#unquoted(token), at: token.at };
  }

  #close(context: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== 'close') this.#unexpected(token, context);
  }

  #pipeline(context: string, end: 'close' | 'right paren'): Pipeline {
    if (++this.#depth > DEEPEST) this.#fail('max expression depth exceeded');
    const { at } = this.#peekNonSpace();
    const { variables, assigns } = this.#declared(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.kind === end) break;
      if (!BEGINS.has(token.kind) && !isValueWord(token)) this.#unexpected(token, context);
      this.#at--;
      commands.push(this.#command());
    }
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    for (const [stage, { words }] of commands.entries())
      if (stage > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(words[0]!.kind))
        this.#fail(`non executable command in pipeline stage ${stage + 1}`);
    this.#depth--;
    return { kind: 'pipeline', at, commands, variables, assigns };
  }

  /** The variables that a pipeline sets. They come first. */
  #declared(context: string): { variables: readonly string[]; assigns: boolean } {
    const variables: string[] = [];
    for (;;) {
      const from = this.#at;
      const variable = this.#nextNonSpace();
      if (variable.kind !== 'variable') {
        this.#at = from;
        return { variables, assigns: false };
      }
      const next = this.#nextNonSpace();
      if (next.kind === 'assign' || next.kind === 'declare') {
        this.#declare(variables, variable.text);
        return { variables, assigns: next.kind === 'assign' };
      }
      if (next.kind !== 'sign' || next.text !== ',') {
        this.#at = from;
        return { variables, assigns: false };
      }
      this.#declare(variables, variable.text);
      if (context !== 'range' || variables.length > 1) this.#fail(`too many declarations in ${context}`);
      if (!['variable', 'close', 'right paren'].includes(this.#peekNonSpace().kind))
        this.#fail('range can only initialize variables');
    }
  }

  #declare(variables: string[], name: string): void {
    variables.push(name);
    this.#variables.push(name);
  }

  #command(): Command {
    const { at } = this.#peekNonSpace();
    const words: Operand[] = [];
    for (;;) {
      this.#skipSpace();
      const operand = this.#operand();
      if (operand !== undefined) words.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'close' || token.kind === 'right paren') this.#at--;
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand');
      break;
    }
    if (words.length === 0) this.#fail('empty command');
    return { kind: 'command', at, words };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined || this.#peek().kind !== 'field') return term;
    const { at } = this.#peek();
    const names: string[] = [];
    while (this.#peek().kind === 'field') names.push(this.#next().text.slice(1));
    switch (term.kind) {
      case 'field':
      case 'variable':
        return { ...term, at, names: [...term.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail(`unexpected . after term ${JSON.stringify(written(term))}`);
      default:
        return { kind: 'chain', at, of: term, names };
    }
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace();
    const { at, text } = token;
    switch (token.kind) {
      case 'function':
        if (!functionNames.has(text)) this.#fail(`function ${JSON.stringify(text)} not defined`);
        return { kind: 'function', at, name: text };
      case 'variable':
        if (!this.#variables.includes(text)) this.#fail(`undefined variable ${JSON.stringify(text)}`);
        return { kind: 'variable', at, variable: text, names: [] };
      case 'field':
        return { kind: 'field', at, names: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', at, value: text === 'true' };
      case 'number':
        return { kind: 'number', at, text, ...this.#number(text) };
      case 'character': {
        const value = this.#unquoted({ ...token, text: `"${text.slice(1, -1).replaceAll('"', '\\"')}"` });
        if ([...value].length !== 1) this.#fail(`malformed character constant: ${text}`);
        return { kind: 'number', at, text, value: value.codePointAt(0)!, type: 'int' };
      }
      case 'string':
      case 'raw':
        return { kind: 'string', at, text, value: this.#unquoted(token) };
      case 'left paren':
        return this.#pipeline('parenthesized pipeline', 'right paren');
      default:
        if (isValueWord(token)) return { kind: text === '.' ? 'dot' : 'nil', at };
        this.#at--;
        return undefined;
    }
  }

  #number(text: string): { value: number | bigint; type: 'int' | 'float64' } {
    const plain = text.replaceAll('_', '');
    const sign = plain.startsWith('-') ? -1 : 1;
    const octal = /^[+-]?0(\d+)$/.exec(plain);
    const value = /^[+-]?[1-9]\d*$/.test(plain)
      ? numberOf(plain)
      : octal === null
        ? sign * Number(plain.replace(/^[+-]/, ''))
        : sign * Number.parseInt(octal[1]!, 8);
    if (Number.isNaN(value)) this.#fail(`illegal number syntax: ${JSON.stringify(text)}`);
    return { value, type: /^[+-]?0[xX]/.test(plain) || !/[.eE]/.test(plain) ? 'int' : 'float64' };
  }

  #unquoted({ kind, text }: Token): string {
    if (kind === 'raw') return text.slice(1, -1).replaceAll('\r', '');
    const inner = text.slice(1, -1);
    const escapes = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.|$))/g;
    return inner.replaceAll(escapes, (_, plain?: string, x?: string, u?: string, U?: string, octal?: string) => {
      if (plain !== undefined) return ESCAPES[plain] ?? plain;
      const code = octal === undefined ? Number.parseInt(x ?? u ?? U ?? '', 16) : Number.parseInt(octal, 8);
      if (Number.isNaN(code) || code > 0x10ffff) this.#fail('invalid syntax');
      return String.fromCodePoint(code);
    });
  }

  #peek(): Token {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]!;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    this.#line = token.line;
    return token;
  }

  #skipSpace(): void {
    while (this.#peek().kind === 'space') this.#at++;
  }

  #nextNonSpace(): Token {
    this.#skipSpace();
    return this.#next();
  }

  #peekNonSpace(): Token {
    let at = this.#at;
    while (this.#tokens[at]?.kind === 'space') at++;
    const token = this.#tokens[Math.min(at, this.#tokens.length - 1)]!;
    this.#line = token.line;
    return token;
  }

  #unexpected(token: Token, context: string): never {
    const { kind, text, line } = token;
    if (kind !== 'mistake') this.#fail(`unexpected ${shown(token)} in ${context}`);
    if (this.#actionLine === 0 || this.#actionLine === line) this.#fail(text);
    this.#fail(`${text}${text.endsWith(' action') ? '' : ' in action'} started at output:${this.#actionLine}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

const isValueWord = ({ kind, text }: Token): boolean => kind === 'word' && (text === '.' || text === 'nil');

function shown({ kind, text }: Token): string {
  if (kind === 'end of text') return 'EOF';
  if (kind === 'word') return `<${text}>`;
  return [...text].length > 10 ? `${JSON.stringify([...text].slice(0, 10).join(''))}...` : JSON.stringify(text);
}
