/** The kind of a token. Each word of the language has its own kind. */
export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'field'
  | 'variable'
  | 'function'
  | 'bool'
  | 'number'
  | 'character'
  | 'string'
  | 'raw'
  | 'declare'
  | 'assign'
  | 'pipe'
  | 'left paren'
  | 'right paren'
  | 'sign'
  | 'word'
  | 'end of text'
  | 'mistake';

export interface Token {
  readonly kind: TokenKind;
  /** The text of the token in the template. For a mistake, the error. */
  readonly text: string;
  /** The position of its beginning, in UTF-16 units. */
  readonly at: number;
  /** The line, counted from 1. */
  readonly line: number;
}

const WORDS: ReadonlySet<string> = new Set([
  '.',
  'nil',
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);

const OPEN = '{{';
const CLOSE = '}}';
const SPACE = /[ \t\r\n]/;
const LETTER = /[\p{L}\p{Nd}_]/u;
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*|0[bB][01_]*|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)/y;

/** The tokens of a template. The last token is the end of the text, or the first mistake. */
export function tokensOf(text: string): Token[] {
  const lexer = new Lexer(text);
  lexer.run();
  return lexer.tokens;
}

class Lexer {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    let trim = false;
    for (;;) {
      const open = this.#text.indexOf(OPEN, this.#at);
      const end = open < 0 ? this.#text.length : open;
      const trimsBefore = open >= 0 && /^-[ \t\r\n]/.test(this.#text.slice(open + 2, open + 4));
      let piece = this.#text.slice(this.#at, end);
      if (trim) piece = piece.replace(/^[ \t\r\n]+/, '');
      if (trimsBefore) piece = piece.replace(/[ \t\r\n]+$/, '');
      if (piece !== '') this.tokens.push({ kind: 'text', text: piece, at: this.#at, line: this.#line });
      this.#skipTo(end);
      if (open < 0) {
        this.#emit('end of text', '');
        return;
      }
      const inside = open + (trimsBefore ? 3 : 2);
      const comment = trimsBefore ? this.#spacesEnd(inside) : inside;
      if (this.#text.startsWith('/*', comment)) {
        const done = this.#text.indexOf('*/', comment);
        if (done < 0) {
          this.#mistake('unclosed comment');
          return;
        }
        const close = /^([ \t\r\n]-)?\}\}/.exec(this.#text.slice(done + 2, done + 6));
        if (close === null) {
          this.#mistake('comment ends before closing delimiter');
          return;
        }
        trim = close[1] !== undefined;
        this.#skipTo(done + 2 + close[0].length);
        continue;
      }
      this.#emit('open', OPEN);
      this.#skipTo(inside);
      this.#depth = 0;
      const left = this.#inside();
      if (left === undefined) return;
      trim = left.trim;
    }
  }

  #spacesEnd(from: number): number {
    let at = from;
    while (at < this.#text.length && SPACE.test(this.#text[at]!)) at++;
    return at;
  }

  /** Reads tokens up to the end of an action. Returns undefined after a mistake. */
  #inside(): { trim: boolean } | undefined {
    for (;;) {
      const trim = /^[ \t\r\n]-\}\}/.test(this.#text.slice(this.#at, this.#at + 4));
      if (trim || this.#text.startsWith(CLOSE, this.#at)) {
        if (this.#depth > 0) {
          this.#mistake('unclosed left paren');
          return undefined;
        }
        if (trim) this.#skipTo(this.#at + 2);
        this.#emit('close', CLOSE);
        this.#skipTo(this.#at + 2);
        return { trim };
      }
      if (this.#at >= this.#text.length) {
        this.#mistake('unclosed action');
        return undefined;
      }
      if (!this.#token()) return undefined;
    }
  }

  /** Reads one token of an action. Returns false after a mistake. */
  #token(): boolean {
    const text = this.#text;
    const from = this.#at;
    const character = String.fromCodePoint(text.codePointAt(from)!);
    const next = text[from + 1] ?? '';
    if (SPACE.test(character)) {
      let to = from + 1;
      // A dash that trims the following text is not a space.
      while (to < text.length && SPACE.test(text[to]!) && !text.startsWith('-}}', to + 1)) to++;
      return this.#take('space', to);
    }
    if (character === '=') return this.#take('assign', from + 1);
    if (character === ':') return next === '=' ? this.#take('declare', from + 2) : this.#fail('expected :=');
    if (character === '|') return this.#take('pipe', from + 1);
    if (character === '"' || character === "'") return this.#quoted(character);
    if (character === '`') {
      const end = text.indexOf('`', from + 1);
      return end < 0 ? this.#fail('unterminated raw quoted string') : this.#take('raw', end + 1);
    }
    if (character === '(') {
      this.#depth++;
      return this.#take('left paren', from + 1);
    }
    if (character === ')') {
      if (--this.#depth < 0) return this.#fail('unexpected right paren');
      return this.#take('right paren', from + 1);
    }
    if (/[+\-\d]/.test(character) || (character === '.' && /\d/.test(next))) return this.#number();
    if (character === '.' || character === '$' || LETTER.test(character)) return this.#name(character);
    if (/[ -~]/.test(character)) return this.#take('sign', from + 1);
    return this.#fail(`unrecognized character in action: ${codeOf(character)}`);
  }

  #name(first: string): boolean {
    const text = this.#text;
    let to = this.#at + first.length;
    if (first !== '.' && first !== '$') to = this.#at;
    for (;;) {
      const code = text.codePointAt(to);
      const letter = code === undefined ? '' : String.fromCodePoint(code);
      if (letter === '' || !LETTER.test(letter)) break;
      to += letter.length;
    }
    const after = text.codePointAt(to);
    if (after !== undefined && !text.startsWith(CLOSE, to) && !/[ \t\r\n.,|:)(]/.test(text[to]!))
      return this.#fail(`bad character ${codeOf(String.fromCodePoint(after))}`);
    const name = text.slice(this.#at, to);
    if (WORDS.has(name)) return this.#take('word', to);
    if (first === '.') return this.#take('field', to);
    if (first === '$') return this.#take('variable', to);
    return this.#take(name === 'true' || name === 'false' ? 'bool' : 'function', to);
  }

  #number(): boolean {
    NUMBER.lastIndex = this.#at;
    const to = this.#at + (NUMBER.exec(this.#text)?.[0].length ?? 0);
    const after = this.#text.codePointAt(to);
    if (after !== undefined && LETTER.test(String.fromCodePoint(after))) {
      const end = to + String.fromCodePoint(after).length;
      return this.#fail(`bad number syntax: ${JSON.stringify(this.#text.slice(this.#at, end))}`);
    }
    return this.#take('number', to);
  }

  #quoted(quote: string): boolean {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at]!;
      if (character === '\n') break;
      if (character === '\\') at++;
      else if (character === quote) return this.#take(quote === '"' ? 'string' : 'character', at + 1);
      if (this.#text[at] === '\n') break;
    }
    const what = quote === '"' ? 'unterminated quoted string' : 'unterminated character constant';
    return this.#fail(what);
  }

  #take(kind: TokenKind, to: number): true {
    this.#emit(kind, this.#text.slice(this.#at, to));
    this.#skipTo(to);
    return true;
  }

  #emit(kind: TokenKind, text: string): void {
    this.tokens.push({ kind, text, at: this.#at, line: this.#line });
  }

  #mistake(text: string): void {
    this.#emit('mistake', text);
  }

  #fail(text: string): false {
    this.#mistake(text);
    return false;
  }

  #skipTo(at: number): void {
    for (let from = this.#at; from < at; from++) if (this.#text[from] === '\n') this.#line++;
    this.#at = at;
  }
}

/** A character in the notation of Go, such as `U+007D '}'`. */
function codeOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return /[^\p{C}]/u.test(character) ? `U+${code} '${character}'` : `U+${code}`;
}
