import type { Warnings } from './request-context.ts';

/** Warnings of an answer, each text once, in order. */
export class WarningList implements Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  /** Values of Warning headers: code 299, no agent, the text quoted (RFC 7234, section 5.5). */
  get headers(): string[] {
    return this.texts.map((text) => `299 - "${printable(text).replace(/[\\"]/g, '\\$&')}"`);
  }
}

/** Header values hold no control characters; what is not Latin-1 is sent as UTF-8 bytes. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a header
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, ' ');
  return Buffer.from(clean).toString('latin1');
}
