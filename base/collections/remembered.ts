/**
 * A function of a text that remembers what it made of short ones, for texts that objects carry again and again. It
 * forgets everything when it has grown to `most` texts; longer ones than `longest` are made again each time, so that
 * clients cannot have it hold much.
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
