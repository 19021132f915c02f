import { fileURLToPath } from 'node:url';
import { Flags } from '../framework/flag.ts';

/** Where flags were read, from `cli/`, by their names. */
export type Readings = Map<string, string>;

const READERS = ['has', 'bool', 'text', 'int', 'duration', 'list', 'pairs', 'map'] as const;
const ROOM = fileURLToPath(new URL('..', import.meta.url));

/**
 * Notes which flags are read, and where first, while something runs. What the framework reads of every command, such as
 * whether a flag is deprecated, does not count. Not to be used by two at once.
 */
export async function readingsOf(run: () => Promise<unknown>, found: Readings = new Map()): Promise<Readings> {
  const before = READERS.map((name) => [name, Object.getOwnPropertyDescriptor(Flags.prototype, name)!] as const);
  for (const [name, { value }] of before)
    Object.defineProperty(Flags.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Flags, flag: string) {
        const place = readerIn(new Error().stack ?? '');
        if (place !== undefined && !found.has(flag)) found.set(flag, place);
        return (value as (flag: string) => unknown).call(this, flag);
      },
    });
  try {
    await run();
  } finally {
    for (const [name, descriptor] of before) Object.defineProperty(Flags.prototype, name, descriptor);
  }
  return found;
}

/** The file that called; undefined where that is the framework. */
function readerIn(stack: string): string | undefined {
  const [, caller = ''] = stack
    .split('\n')
    .slice(1)
    .filter((line) => line.includes('.ts'));
  const file = /(?:file:\/\/)?(\/.*?\.ts)/.exec(caller)?.[1] ?? '';
  const place = file.startsWith(ROOM) ? file.slice(ROOM.length) : undefined;
  return place?.startsWith('framework/') || place?.startsWith('command-line/') ? undefined : place;
}
