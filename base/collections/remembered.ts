/**
 * Wraps a function of a text so that it remembers its results for short texts, because objects repeat the same texts
 * many times. The memory is emptied when it holds `most` texts. A text longer than `longest` is computed again at each
 * call, so a client cannot make the process hold much memory.
 *
 * @throws what `make` throws.
 */
export function remembered<T extends {}>(
  make: (text: string) => T,
  { most, longest }: { readonly most: number; readonly longest: number },
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (text.length > longest) return made;
    if (known.size >= most) known.clear();
    known.set(text, made);
    return made;
  };
}
