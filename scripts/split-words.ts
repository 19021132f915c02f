/**
 * The words of a text as a shell splits them: spaces separate words, quotes hold them together.
 * @example splitWords("--a --b='c d'") // ['--a', '--b=c d']
 */
export function splitWords(text: string): string[] {
  const words = text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}
