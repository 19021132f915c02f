/** The number of characters of a text. A surrogate pair is one character, and only few texts have any. */
export function characters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) pairs++;
  }
  return text.length - pairs;
}
