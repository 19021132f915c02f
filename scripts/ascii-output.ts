import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes all non-ASCII characters as `\uXXXX` in the scripts of a folder; the bundler leaves some in regular
 * expressions. The engine keeps the text of a script in memory, and one such character doubles its size from one to two
 * bytes for each character.
 */
export function writeAscii(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8');
    const ascii = asciiOnly(text);
    if (ascii !== text) writeFileSync(file, ascii);
  }
}

/** @example asciiOnly('/us|µs/') // '/us|\\u00b5s/' */
export function asciiOnly(script: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII stays as it is
  return script.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
