const interned = new Map<string, string>();
/** The most texts that are remembered. Then all are forgotten, so that for a while fewer are shared. */
const MOST_INTERNED = 10_000;
const LONGEST_INTERNED = 128;

/** The one copy of a text that many objects carry. Long texts are returned as they are. */
export function intern(text: string): string {
  if (text.length > LONGEST_INTERNED) return text;
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size >= MOST_INTERNED) interned.clear();
  interned.set(text, text);
  return text;
}
