/** A piece of a source that people read. */
export interface SourceText {
  readonly kind: 'comment' | 'text';
  /** The line in which it begins, counted from 1. */
  readonly line: number;
  /** A comment with its marks, or the text between quotes. */
  readonly text: string;
}

/** After one of these, a slash begins a regular expression. */
const BEFORE_EXPRESSION =
  /(?:^|[-(,=:[!&|?{};+*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|void|delete|throw))\s*$/;

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const QUOTED = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const EXPRESSION = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

/**
 * The comments and texts of a TypeScript source, in order. Each part of a template between two `${…}` is a separate
 * text.
 *
 * @example
 * sourceTexts("const a = 'x'; // why")
 * // => [{ kind: 'text', line: 1, text: 'x' }, { kind: 'comment', line: 1, text: '// why' }]
 */
export function sourceTexts(source: string): SourceText[] {
  const found: SourceText[] = [];
  /** How many braces are open in each `${…}` around the place. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;
  let lineAt = 0;
  const lineOf = (place: number): number => {
    for (; lineAt < place; lineAt++) if (source[lineAt] === '\n') line++;
    return line;
  };
  const matched = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const add = (kind: SourceText['kind'], start: number, text: string): void => {
    if (text !== '') found.push({ kind, line: lineOf(start), text });
  };
  /** Reads a template after its back quote, or after the brace that ends a `${…}`. */
  const template = (): void => {
    const part = matched(TEMPLATE_PART) ?? '';
    add('text', at, part);
    at += part.length;
    if (source[at] === '$') templates.push(0);
    at += source[at] === '$' ? 2 : 1;
  };
  while (at < source.length) {
    const char = source[at]!;
    if (char === '/') {
      const comment = matched(COMMENT);
      if (comment !== undefined) add('comment', at, comment);
      const isExpression = comment === undefined && BEFORE_EXPRESSION.test(source.slice(Math.max(0, at - 20), at));
      at += (comment ?? (isExpression ? matched(EXPRESSION) : undefined) ?? char).length;
    } else if (char === "'" || char === '"') {
      const quoted = matched(QUOTED);
      if (quoted !== undefined) add('text', at, quoted.slice(1, -1));
      at += (quoted ?? char).length;
    } else if (char === '`') {
      at++;
      template();
    } else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      at++;
      template();
    } else {
      if (char === '{' && templates.length > 0) templates[templates.length - 1]!++;
      if (char === '}' && templates.length > 0) templates[templates.length - 1]!--;
      at++;
    }
  }
  return found;
}
