/** A word of a pipeline. */
export type Operand =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'variable'; readonly variable: string; readonly names: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline; readonly names: readonly string[] };

/** Commands of which each gets the result of the one before as its last argument. */
export interface Pipeline {
  readonly commands: readonly (readonly Operand[])[];
  /** Variables that it sets: two for a `range` with keys. */
  readonly variables: readonly string[];
  /** It sets variables that are there already. */
  readonly assigns: boolean;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Part[];
      readonly otherwise: readonly Part[];
    }
  | { readonly kind: 'template'; readonly name: string; readonly pipeline: Pipeline | undefined }
  | { readonly kind: 'break' | 'continue' };

export interface Parsed {
  readonly parts: readonly Part[];
  readonly defined: ReadonlyMap<string, readonly Part[]>;
}

export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Functions that templates may call. */
const functionNames: ReadonlySet<string> = new Set(
  'and or not len index slice print printf println html js urlquery call eq ne lt le gt ge exists base64decode'.split(
    ' ',
  ),
);

interface Token {
  readonly kind: 'text' | 'action';
  readonly text: string;
  readonly line: number;
}

/** Reads a template in the language of Go's text/template (https://pkg.go.dev/text/template). @throws TemplateSyntaxError */
export function parseGoTemplate(text: string): Parsed {
  const tokens = tokensOf(text);
  const defined = new Map<string, readonly Part[]>();
  let at = 0;
  const parts = (until: boolean): { parts: Part[]; end: string; rest: string } => {
    const found: Part[] = [];
    while (at < tokens.length) {
      const token = tokens[at++]!;
      if (token.kind === 'text') {
        if (token.text !== '') found.push({ kind: 'text', text: token.text });
        continue;
      }
      const match = /^(if|range|with|else|end|define|block|template|break|continue)\b\s*(.*)$/s.exec(token.text);
      const [, word, rest = ''] = match ?? [];
      if (word === undefined) {
        if (token.text !== '') found.push({ kind: 'output', pipeline: pipelineOf(token.text, token.line) });
        else throw new TemplateSyntaxError('missing value for command', token.line);
      } else if (word === 'else' || word === 'end') {
        if (!until) throw new TemplateSyntaxError(`unexpected {{${word}}}`, token.line);
        return { parts: found, end: word, rest };
      } else if (word === 'break' || word === 'continue') found.push({ kind: word });
      else if (word === 'template') {
        const { name, rest: dot } = nameIn(rest, token.line);
        found.push({ kind: 'template', name, pipeline: dot === '' ? undefined : pipelineOf(dot, token.line) });
      } else if (word === 'define' || word === 'block') {
        const { name, rest: dot } = nameIn(rest, token.line);
        defined.set(name, parts(true).parts);
        if (word === 'block') found.push({ kind: 'template', name, pipeline: pipelineOf(dot, token.line) });
      } else found.push(control(word as 'if' | 'range' | 'with', rest, token.line));
    }
    if (until) throw new TemplateSyntaxError('unexpected EOF', tokens.at(-1)?.line ?? 1);
    return { parts: found, end: '', rest: '' };
  };
  const control = (word: 'if' | 'range' | 'with', text: string, line: number): Part => {
    if (text === '') throw new TemplateSyntaxError(`missing value for ${word}`, line);
    const body = parts(true);
    const chained = /^(if|with)\b\s*(.*)$/s.exec(body.rest);
    let otherwise: readonly Part[] = [];
    if (body.end === 'else')
      otherwise = chained === null ? parts(true).parts : [control(chained[1] as 'if' | 'with', chained[2]!, line)];
    return { kind: word, pipeline: pipelineOf(text, line), body: body.parts, otherwise };
  };
  return { parts: parts(false).parts, defined };
}

function nameIn(text: string, line: number): { name: string; rest: string } {
  const match = /^"((?:[^"\\]|\\.)*)"\s*(.*)$/s.exec(text);
  if (match === null) throw new TemplateSyntaxError('a name in quotes is missing', line);
  return { name: match[1]!, rest: match[2]! };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  let trim = false;
  const lines = (piece: string) => piece.split('\n').length - 1;
  for (;;) {
    const open = text.indexOf('{{', at);
    let before = open < 0 ? text.slice(at) : text.slice(at, open);
    line += lines(before);
    if (trim) before = before.trimStart();
    const left = open >= 0 && /^-\s/.test(text.slice(open + 2, open + 4));
    if (left) before = before.trimEnd();
    tokens.push({ kind: 'text', text: before, line });
    if (open < 0) return tokens;
    const close = endOfAction(text, open + 2);
    if (close < 0) throw new TemplateSyntaxError('unclosed action', line);
    let inner = text.slice(open + (left ? 3 : 2), close);
    trim = /\s-$/.test(inner);
    if (trim) inner = inner.slice(0, -1);
    if (!/^\s*\/\*/.test(inner)) tokens.push({ kind: 'action', text: inner.trim(), line });
    line += lines(inner);
    at = close + 2;
  }
}

function endOfAction(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (quote !== '') {
      if (char === '\\' && quote === '"') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === '`') quote = char;
    else if (char === '}' && text[at + 1] === '}') return at;
  }
  return -1;
}

const WORD =
  /\s+|(\$\w*(?:\.\w+)*)|((?:\.[\p{L}_][\p{L}\p{N}_]*)+|\.(?![\w]))|("(?:[^"\\]|\\.)*")|(`[^`]*`)|('(?:[^'\\]|\\.)')|([+-]?\d[\w.]*)|([\p{L}_][\p{L}\p{N}_]*)|(:=|=|,|\||\(|\))/uy;

function pipelineOf(text: string, line: number): Pipeline {
  const words: { readonly text: string; readonly spaced: boolean }[] = [];
  WORD.lastIndex = 0;
  let spaced = true;
  while (WORD.lastIndex < text.length) {
    const from = WORD.lastIndex;
    const match = WORD.exec(text);
    if (match === null) throw new TemplateSyntaxError(`unexpected ${JSON.stringify(text[from])} in operand`, line);
    if (match[0].trim() === '') spaced = true;
    else {
      words.push({ text: match[0], spaced });
      spaced = false;
    }
  }
  let at = 0;
  const read = (nested: boolean): Pipeline => {
    const variables: string[] = [];
    let assigns = false;
    const set = words.findIndex(({ text: word }, index) => index >= at && (word === ':=' || word === '='));
    const head = set < 0 ? [] : words.slice(at, set).map(({ text: word }) => word);
    if (set > at && head.every((word) => /^\$\w*$/.test(word) || word === ',')) {
      variables.push(...head.filter((word) => word !== ','));
      assigns = words[set]!.text === '=';
      at = set + 1;
    }
    const commands: Operand[][] = [[]];
    for (; at < words.length; at++) {
      const { text: word, spaced: apart } = words[at]!;
      if (word === ')') {
        if (!nested) throw new TemplateSyntaxError('unexpected right paren', line);
        break;
      }
      const command = commands.at(-1)!;
      if (word === '|') commands.push([]);
      else if (word === '(') {
        at++;
        const pipeline = read(true);
        if (words[at]?.text !== ')') throw new TemplateSyntaxError('unclosed left paren', line);
        const next = words[at + 1];
        const follows = next !== undefined && !next.spaced && next.text.startsWith('.') && next.text !== '.';
        if (follows) at++;
        command.push({ kind: 'pipeline', pipeline, names: follows ? next.text.slice(1).split('.') : [] });
      } else {
        if (!apart && word.startsWith('.') && command.length > 0)
          throw new TemplateSyntaxError(`bad character U+002E '.'`, line);
        command.push(operandOf(word, line));
      }
    }
    if (commands.some((command) => command.length === 0))
      throw new TemplateSyntaxError('missing value for command', line);
    return { commands, variables, assigns };
  };
  return read(false);
}

function operandOf(word: string, line: number): Operand {
  if (word === '.') return { kind: 'field', names: [] };
  if (word.startsWith('.')) return { kind: 'field', names: word.slice(1).split('.') };
  if (word.startsWith('$')) {
    const [variable, ...names] = word.split('.');
    return { kind: 'variable', variable: variable!, names };
  }
  if (word.startsWith('"')) return { kind: 'value', value: unquoted(word, line) };
  if (word.startsWith('`')) return { kind: 'value', value: word.slice(1, -1) };
  if (word.startsWith("'")) return { kind: 'value', value: unquoted(`"${word.slice(1, -1)}"`, line).codePointAt(0) };
  if (/^[+-]?\d/.test(word)) {
    const number = Number(word.replaceAll('_', ''));
    if (Number.isNaN(number)) throw new TemplateSyntaxError(`bad number syntax: ${JSON.stringify(word)}`, line);
    return { kind: 'value', value: number };
  }
  if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
  if (word === 'nil') return { kind: 'value', value: undefined };
  if (!functionNames.has(word)) throw new TemplateSyntaxError(`function ${JSON.stringify(word)} not defined`, line);
  return { kind: 'function', name: word };
}

function unquoted(text: string, line: number): string {
  try {
    return JSON.parse(text.replaceAll(/\\x([0-9a-fA-F]{2})/g, '\\u00$1').replaceAll("\\'", "'")) as string;
  } catch {
    throw new TemplateSyntaxError(`bad string ${text}`, line);
  }
}
