/** The number of inserted, removed or replaced letters between two words, ignoring their case. */
export function distance(from: string, to: string): number {
  const [a, b] = [from.toLowerCase(), to.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** The known words that the user may have intended. They are at most two edits away, or begin with the given text. */
export function suggestions(word: string, known: readonly string[]): string[] {
  const lower = word.toLowerCase();
  return known.filter((each) => distance(word, each) <= 2 || each.toLowerCase().startsWith(lower));
}
