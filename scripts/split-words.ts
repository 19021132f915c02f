/**
 * Splits a text into words like a shell: spaces separate words, and quotes group them.
 * @example splitWords("--a --b='c d'") // ['--a', '--b=c d']
 */
export function splitWords(text: string): string[] {
  const words = text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}
