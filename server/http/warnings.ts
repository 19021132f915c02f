import type { Warnings } from '../api/request-context.ts';

/**
 * The largest number of characters of all warnings of an answer together. If there are more, each warning is cut, and
 * the rest is dropped.
 */
const TOTAL = 4096;
/** The length of a shortened warning, in characters. Warnings of webhooks are always shortened to it. */
const CUT = 256;

/** Warnings of an answer, each text once, in order. */
export class WarningList implements Warnings {
  #texts: Set<string> | undefined;

  add(text: string): void {
    this.#texts ??= new Set();
    this.#texts.add(text);
  }

  addForeign(text: string): void {
    this.add(cut(text));
  }

  get isEmpty(): boolean {
    return this.#texts === undefined;
  }

  get texts(): readonly string[] {
    return [...(this.#texts ?? [])];
  }

  /**
   * The values of Warning headers: code 299, no agent, the text quoted (RFC 7234, section 5.5). Texts that a header
   * cannot contain are left out. If the texts are too long together, each is shortened, and texts beyond the limit are
   * left out.
   */
  get headers(): string[] {
    return fitting(this.texts.filter(isPrintable)).map((text) => `299 - "${encoded(text)}"`);
  }
}

function isPrintable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a header
  return text !== '' && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

function fitting(texts: readonly string[]): readonly string[] {
  // A text has at most as many characters as code units.
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units <= TOTAL) return texts;
  const lengths = texts.map((text) => [...text].length);
  if (lengths.reduce((sum, length) => sum + length, 0) <= TOTAL) return texts;
  let written = 0;
  const most = lengths.findIndex((length) => {
    written += Math.min(length, CUT);
    return written > TOTAL;
  });
  return texts.slice(0, most < 0 ? undefined : most).map(cut);
}

/** The first characters of a text. Pairs of code units are not split. */
function cut(text: string): string {
  return text.length <= CUT ? text : [...text.slice(0, 2 * CUT)].slice(0, CUT).join('');
}

/** A header value as bytes. Characters beyond Latin-1 are sent as UTF-8. */
function encoded(text: string): string {
  return Buffer.from(text.replace(/[\\"]/g, '\\$&')).toString('latin1');
}
