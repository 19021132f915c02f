import { fileURLToPath } from 'node:url';
import { Flags } from '../framework/flag.ts';

/** The places that read flags, relative to `cli/`, by the flags' names. */
export type Readings = Map<string, string>;

const READERS = ['has', 'bool', 'text', 'int', 'int64', 'duration', 'list', 'pairs', 'map'] as const;
const ROOM = fileURLToPath(new URL('..', import.meta.url));

/** Code that reads flags of every command, for example to check whether one is deprecated. */
const ofAll = (place: string) => place.startsWith('framework/') || place.startsWith('command-line/');

/**
 * Records the flags that `run` reads, each with the first place. Two calls must not run at the same time.
 * @param ignored the files in which reading does not count
 */
export async function readingsOf(
  run: () => Promise<unknown>,
  found: Readings = new Map(),
  ignored: (place: string) => boolean = ofAll,
): Promise<Readings> {
  const before = READERS.map((name) => [name, Object.getOwnPropertyDescriptor(Flags.prototype, name)!] as const);
  for (const [name, { value }] of before)
    Object.defineProperty(Flags.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Flags, flag: string) {
        const place = readerIn(new Error().stack ?? '');
        if (place !== undefined && !ignored(place) && !found.has(flag)) found.set(flag, place);
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

/** The file of the caller, relative to `cli/`. Undefined if it is not in that folder. */
function readerIn(stack: string): string | undefined {
  const [, caller = ''] = stack
    .split('\n')
    .slice(1)
    .filter((line) => line.includes('.ts'));
  const file = /(?:file:\/\/)?(\/.*?\.ts)/.exec(caller)?.[1] ?? '';
  return file.startsWith(ROOM) ? file.slice(ROOM.length) : undefined;
}
