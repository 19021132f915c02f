import { codelessLines } from './codeless-lines.ts';
import { sourceTexts } from './source-texts.ts';

/**
 * The content of lint/vendor-words.json: the words of one vendor, which only the profiles in `base/naming` may spell.
 */
export interface VendorWords {
  /** Regular expressions of what no line of a source may hold, and no sentence of a document. */
  readonly never: readonly string[];
  /**
   * Words that names of flags and fields may hold, but no comment, text of several words or sentence of a document.
   * Each has what to write instead.
   */
  readonly inSentences: Readonly<Record<string, string>>;
  /** Lines that may hold such words all the same, each with the reason. `file` and `line` are regular expressions. */
  readonly allowed: readonly { readonly file: string; readonly line: string; readonly why: string }[];
}

/**
 * The places in a file that spell a word of the vendor without a reason, one line each: `file:line: the mistake`. In a
 * document, code and text between back quotes are not read.
 *
 * @example
 * vendorWordProblems('a.ts', '// of Acme', { never: ['acme'], inSentences: {}, allowed: [] })
 * // => ["a.ts:1: 'Acme': ask base/naming for it"]
 */
export function vendorWordProblems(file: string, text: string, words: VendorWords): string[] {
  const lines = text.split('\n');
  const reasons = words.allowed.filter((one) => new RegExp(one.file).test(file)).map(({ line }) => new RegExp(line));
  const never = new RegExp(words.never.join('|') || '(?!)', 'gi');
  const spelt = new RegExp(`(?<![\\w-])(?:${Object.keys(words.inSentences).join('|') || '(?!)'})(?![\\w-])`, 'gi');
  const found: { readonly line: number; readonly problem: string }[] = [];
  const look = (first: number, read: string, pattern: RegExp, say: (word: string) => string): void => {
    for (const [i, part] of read.split('\n').entries())
      for (const [word] of part.replaceAll(/`[^`]*`/g, '').matchAll(pattern))
        found.push({ line: first + i, problem: say(word) });
  };
  const toNaming = (word: string) => `'${word}': ask base/naming for it`;
  const instead = (word: string) => `'${word}': write '${words.inSentences[word.toLowerCase()]}'`;
  if (file.endsWith('.md')) {
    for (const [i, line] of codelessLines(text).entries()) {
      look(i + 1, line, never, (word) => `'${word}': a word of the vendor`);
      look(i + 1, line, spelt, instead);
    }
  } else {
    for (const [i, line] of lines.entries())
      for (const [word] of line.matchAll(never)) found.push({ line: i + 1, problem: toNaming(word) });
    for (const { kind, line, text: read } of file.endsWith('.ts') ? sourceTexts(text) : [])
      if (kind === 'comment' || /\s/.test(read)) look(line, read, spelt, instead);
  }
  return found
    .filter(({ line }) => !reasons.some((reason) => reason.test(lines[line - 1]!)))
    .sort((a, b) => a.line - b.line)
    .map(({ line, problem }) => `${file}:${line}: ${problem}`);
}
