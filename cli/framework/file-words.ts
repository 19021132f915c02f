const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'address already in use'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a directory'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'not a directory'],
]);

/** The system's reason for a refusal, in words that users know, such as `permission denied`. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS.get(code) ?? message;
}

/** The failed operation on a file, and its reason, such as `open a.yaml: no such file or directory`. */
export function fileWords(error: unknown, file: string): string {
  const { syscall = 'open' } = error as NodeJS.ErrnoException;
  return `${syscall} ${file}: ${reasonOf(error)}`;
}
