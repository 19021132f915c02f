/**
 * Removes all of `characters` from the start and the end of a text. The time grows only with the length of the text. An
 * expression such as `/[ \t]+$/` begins again at each of the blanks inside.
 *
 * @example trimText('--a-b-', '-') // => 'a-b'
 */
export function trimText(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text[start]!)) start++;
  while (end > start && characters.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
