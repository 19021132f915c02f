import { ConfigError } from '#base/errors/config-error.ts';
import { versionLine } from '#program/flags/build.ts';
import type { Backend } from './backend.ts';
import { helpText, type Invocation, readCommandLine } from './command-line.ts';
import { copy } from './copy.ts';
import { Data } from './data.ts';
import { backup, compact, defrag } from './maintain.ts';
import { migrate } from './migrate.ts';
import { openBackend } from './open-backend.ts';
import { type Out, outputTo } from './output.ts';
import { raise } from './raise.ts';
import { get, list } from './read.ts';
import { releasesNeeded } from './releases.ts';
import { restoreCheck } from './restore-check.ts';
import { status } from './status.ts';
import { verify } from './verify.ts';

type Command = readonly [
  name: string,
  about: string,
  run: (data: Data, out: Out, invocation: Invocation) => Promise<number>,
];

const COMMANDS: readonly Command[] = [
  ['status', 'show the state of the store and how much is stored by resource', status],
  ['get KEY', 'show one object, without secret values', (data, out, { args }) => get(data, out, args)],
  ['list [GROUP/RESOURCE/…]', 'show keys, revisions and sizes', (data, out, { args }) => list(data, out, args)],
  [
    'releases [RELEASE]',
    'show which releases of the interface support all stored data, or what one release lacks',
    (data, out, { args }) => releasesNeeded(data, out, args),
  ],
  [
    'verify',
    'look for damage, and with --repair repair what can be derived from other data',
    (data, out, { repair }) => verify(data, out, repair),
  ],
  [
    'migrate [GROUP/RESOURCE/…]',
    'rewrite values that are not encrypted, encrypted with an old key, or stored in an old version',
    (data, out, invocation) => migrate(data, out, invocation, invocation.args),
  ],
  [
    'backup FILE',
    'save and check a snapshot, with a manifest file beside it',
    (data, out, { args, overwrite }) => backup(data, out, args, overwrite),
  ],
  ['compact [REVISION]', 'delete old revisions', (data, out, { args }) => compact(data, out, args)],
  ['defrag', 'return free disk space, one member after the other', defrag],
];

/** The commands that are not about the data that the flags name. */
const ALONE: readonly (readonly [
  name: string,
  about: string,
  run: (out: Out, invocation: Invocation) => Promise<number>,
])[] = [
  [
    'restore-check FILE [-- FLAGS]',
    'restore a snapshot to a temporary place, verify it, and check that a replica gets ready on it',
    restoreCheck,
  ],
  [
    'copy FROM TO',
    'copy all data between etcd and a file, and check the copy; a new run continues an interrupted one',
    copy,
  ],
  [
    'raise FILE REVISION NEWFILE',
    'write a snapshot with the same data at a higher revision that no client has seen',
    raise,
  ],
];

interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Runs one command line. Resolves to its exit code. Errors are printed to the error stream. */
export async function run(words: readonly string[], { out, err }: Streams): Promise<number> {
  let backend: Backend | undefined;
  let data: Data | undefined;
  try {
    const invocation = readCommandLine(words);
    if (invocation === 'version') {
      out.write(`${versionLine('orch-storage')}\n`);
      return 0;
    }
    if (invocation === undefined) {
      out.write(helpText([...COMMANDS, ...ALONE].map(([name, about]) => [name, about])));
      return 0;
    }
    const isAsked = ([name]: readonly [name: string, ...unknown[]]) => name.split(' ')[0] === invocation.command;
    const output = outputTo(out, err, invocation.json);
    const alone = ALONE.find(isAsked);
    if (alone !== undefined) return await alone[2](output, invocation);
    const command = COMMANDS.find(isAsked);
    if (command === undefined) throw new ConfigError(`there is no command ${invocation.command}: see --help`);
    backend = await openBackend(invocation.endpoint, invocation);
    data = await Data.of(backend, invocation);
    return await command[2](data, output, invocation);
  } catch (error) {
    err.write(`orch-storage: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  } finally {
    data?.close();
    await backend?.close();
  }
}
