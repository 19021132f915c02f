/** The error about a name that no object or namespace can have. The client does not send a request with such a name. */
export class NameError extends Error {
  override readonly name = 'NameError';
}

/**
 * A name as a segment of a request's path. Without this check, '' would mean all objects, and `..` the parent path.
 * @throws NameError
 */
export function pathSegment(name: string, what: 'resource name' | 'namespace' = 'resource name'): string {
  if (name === '') throw new NameError(`${what} may not be empty`);
  const mistakes = mistakesIn(name);
  if (mistakes.length > 0) throw new NameError(`invalid ${what} ${JSON.stringify(name)}: [${mistakes.join(' ')}]`);
  return encodeURIComponent(name);
}

function mistakesIn(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}
