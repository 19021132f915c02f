const interned = new Map<string, string>();
/**
 * The largest number of remembered texts. If there are more, all are forgotten. For a while after that, fewer texts are
 * shared.
 */
const MOST_INTERNED = 10_000;
const LONGEST_INTERNED = 128;

/** The shared copy of a text that many objects contain. A long text is returned unchanged. */
export function intern(text: string): string {
  if (text.length > LONGEST_INTERNED) return text;
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= MOST_INTERNED) interned.clear();
  interned.set(text, text);
  return text;
}
