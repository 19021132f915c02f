/** A flag of a command line, and the words of the command line that contain it. */
export interface SplitFlag {
  readonly name: string;
  readonly value: string;
  readonly words: readonly string[];
}

/**
 * The flags of any program's command line: `--name=value`, `--name value`, `-n=value`, or `--name` alone, whose value
 * is empty.
 *
 * @example splitFlags(['--a=1', '--b', '2', '--c']).map(({ name, value }) => [name, value])
 *   // => [['a', '1'], ['b', '2'], ['c', '']]
 */
export function splitFlags(argv: readonly string[]): SplitFlag[] {
  const flags: SplitFlag[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [, name = '', value] = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(argv[i]!) ?? [];
    const next = argv[i + 1];
    const isApart = value === undefined && next !== undefined && !next.startsWith('-');
    flags.push({ name, value: value ?? (isApart ? next : ''), words: argv.slice(i, i + (isApart ? 2 : 1)) });
    if (isApart) i++;
  }
  return flags;
}
