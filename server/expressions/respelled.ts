import { checkError } from './check-error.ts';

/** An expression in the syntax of the parser. */
export interface Respelled {
  readonly text: string;
  /** The places in `text` at which the rule has a question mark before an item or a key that may be absent. */
  readonly optionalMarks: readonly number[];
  /** The places in `text` of the brackets that begin the fields of a message. `T{a: b}` becomes `T.make({"a": b})`. */
  readonly messageFields: ReadonlySet<number>;
  /** The place in the original expression of a place in `text`. */
  origin(place: number): number;
}

/**
 * Matches a raw string or raw bytes, which has no escapes and ends at its first quote. Otherwise it matches one
 * character.
 */
const RAW = /[bB]?[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y;
/** Matches a comment, blanks, a text, a number (it may start with a dot), a name, or one other character. */
const TOKEN =
  /\/\/[^\n]*|\s+|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\.?\d[\w.]*|[A-Za-z_]\w*|[\s\S]/y;
/** Matches an escape. The escape of half a surrogate pair, which no text can contain, has a named group. */
const ESCAPE = /\\(?:(?<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;
const NAME = /^[A-Za-z_]\w*$/;
/** Words before a bracket that begins a map, because they do not name a type. */
const NO_TYPE: ReadonlySet<string> = new Set(['false', 'in', 'null', 'true']);
/** The characters that an operand may end with. */
const OPERAND_END = /[\w)\]}"']$/;

/**
 * Converts an expression to the syntax of the parser. The language also has `.5`, names that start with a dot, raw
 * bytes, halves of surrogate pairs, messages with their fields, and a single comma in an empty list or map. But `0X`
 * does not start a number, and a comma must not follow the last argument. For these it throws a CheckError.
 * @param hasOptionals whether items and keys may have a question mark before them: `[?a]`, `{?a: b}`
 */
export function respelled(rule: string, hasOptionals = false): Respelled {
  let text = '';
  let place = 0;
  /** The last token that is neither blanks nor a comment. */
  let before = '';
  /** Whether the last token was the mark of an optional part. */
  let afterMark = false;
  /** The open brackets. `i` is one that begins an index, and `m` is one for the fields of a message. */
  const brackets: string[] = [];
  const optionalMarks: number[] = [];
  const messageFields = new Set<number>();
  /**
   * The ends of pieces whose length differs between the two texts: the position in the one and the position in the
   * other.
   */
  const shifts: [here: number, there: number][] = [];
  const origin = (here: number): number => {
    const last = shifts.findLast(([end]) => end <= here);
    return last === undefined ? here : here - last[0] + last[1];
  };
  while (place < rule.length) {
    const raw = at(RAW, rule, place);
    const token = raw ?? at(TOKEN, rule, place)!;
    const end = place + token.length;
    // For a text without an end, the parser reports the error.
    if (/^["']$/.test(token)) return { text: text + rule.slice(place), optionalMarks, messageFields, origin };
    const next = rule.slice(end).trimStart()[0] ?? '';
    if (/^0X[0-9a-fA-F]/.test(token)) throw unexpected(rule, place + 1, 'mismatched', token.slice(1), '<EOF>');
    if (token.startsWith('.') && before === '.') throw unexpected(rule, place, 'extraneous', '.', 'IDENTIFIER');
    if (token === ',' && next === ')' && brackets.at(-1) === '(')
      throw unexpected(rule, place, 'extraneous', ',', "')'");
    const begins = /^[[{,]$/.test(before);
    const isMark = hasOptionals && token === '?' && begins && /^[[{m]$/.test(brackets.at(-1) ?? '');
    if (isMark && /^[\]},]$/.test(next))
      throw unexpected(rule, rule.indexOf(next, end), 'mismatched', next, 'IDENTIFIER');
    if (isMark) optionalMarks.push(text.length);
    const isField = brackets.at(-1) === 'm' && (begins || afterMark) && NAME.test(token);
    let word = isMark ? ' ' : raw === undefined ? respelledToken(token, before, next) : respelledRaw(raw);
    if (isField) word = `"${token}"`;
    if (token === '{' && NAME.test(before) && !NO_TYPE.has(before)) {
      text += '.make(';
      shifts.push([text.length, place]);
      messageFields.add(text.length);
      brackets.push('m');
    } else if (token === '}' && brackets.at(-1) === 'm') {
      word = '})';
      brackets.pop();
    } else if (token === '[' && OPERAND_END.test(before)) brackets.push('i');
    else if (/^[([{]$/.test(token)) brackets.push(token);
    else if (/^[)\]}]$/.test(token)) brackets.pop();
    if (isMark) afterMark = true;
    else if (!/^(?:\s|\/\/)/.test(word)) [before, afterMark] = [token, false];
    text += word;
    place = end;
    if (word.length !== token.length) shifts.push([text.length, place]);
  }
  return { text, optionalMarks, messageFields, origin };
}

function at(pattern: RegExp, text: string, place: number): string | undefined {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0];
}

function unexpected(rule: string, place: number, how: string, input: string, expected: string): Error {
  return checkError(rule, place, `Syntax error: ${how} input '${input}' expecting ${expected}`);
}

function respelledRaw(raw: string): string {
  return /^[bB]/.test(raw) ? `b${raw.slice(2).replaceAll('\\', '\\\\')}` : raw;
}

function respelledToken(token: string, before: string, next: string): string {
  if (/^["']/.test(token)) return token.replace(ESCAPE, (whole, half) => (half === undefined ? whole : '\\ufffd'));
  if (token === ',') return `${before}${next}` === '[]' || `${before}${next}` === '{}' ? ' ' : token;
  if (!token.startsWith('.') || OPERAND_END.test(before)) return token;
  if (token !== '.') return `0${token}`;
  return /[A-Za-z_]/.test(next) ? ' ' : token;
}
