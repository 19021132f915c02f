/** The log level for certain source files. It is one part of `--vmodule=PATTERN=N,…`. */
export interface FileLevel {
  readonly pattern: RegExp;
  readonly level: number;
}

const SYNTAX = 'syntax error: expect comma-separated list of filename=N';

/** The error about a value of `--vmodule`. Undefined means that the value is correct. */
export function mistakeInLevels(text: string): string | undefined {
  for (const part of parts(text)) {
    const match = /^([^=]+)=(-?\d+)$/.exec(part);
    if (match === null) return SYNTAX;
    if (Number(match[2]) < 0) return 'negative value for vmodule level';
  }
  return undefined;
}

/** The parts of the value of `--vmodule`, in their order. */
export function fileLevels(text: string): FileLevel[] {
  return parts(text).map((part) => {
    const [pattern = '', level] = part.split('=');
    return { pattern: globOf(pattern), level: Number(level) };
  });
}

function parts(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

/** A pattern of file names. `*` matches any text, and `?` matches one character. */
function globOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[^\w*?]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`);
}
