/**
 * The lines of a document, those in blocks of code empty.
 *
 * @example codelessLines('a\n```\nb\n```') // => ['a', '', '', '']
 */
export function codelessLines(text: string): string[] {
  let inCode = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) inCode = !inCode;
    return inCode || isFence ? '' : line;
  });
}
