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
  ['status', 'what keeps the data, and what is stored by resource', status],
  ['get KEY', 'one object, without what is secret', (data, out, { args }) => get(data, out, args)],
  ['list [GROUP/RESOURCE/…]', 'keys, revisions and sizes', (data, out, { args }) => list(data, out, args)],
  [
    'releases [RELEASE]',
    'which releases of the interface have all that is stored, or what one of them lacks',
    (data, out, { args }) => releasesNeeded(data, out, args),
  ],
  [
    'verify',
    'look for damage, and with --repair put right what can be',
    (data, out, { repair }) => verify(data, out, repair),
  ],
  [
    'migrate [GROUP/RESOURCE/…]',
    'write again what is encrypted with an old key or not at all, or stored in an old version',
    (data, out, invocation) => migrate(data, out, invocation, invocation.args),
  ],
  [
    'backup FILE',
    'save a snapshot, checked, with a manifest beside it',
    (data, out, { args, overwrite }) => backup(data, out, args, overwrite),
  ],
  ['compact [REVISION]', 'drop history', (data, out, { args }) => compact(data, out, args)],
  ['defrag', 'give free room back, one member after the other', defrag],
];

/** Those that are not about the data that the flags name. */
const ALONE: readonly (readonly [
  name: string,
  about: string,
  run: (out: Out, invocation: Invocation) => Promise<number>,
])[] = [
  [
    'restore-check FILE [-- FLAGS]',
    'restore a snapshot aside, and see that it verifies and a replica gets ready on it',
    restoreCheck,
  ],
  [
    'copy FROM TO',
    'copy everything between etcd and a file, and see that it is all there; done again it goes on',
    copy,
  ],
  [
    'raise FILE REVISION NEWFILE',
    'a snapshot that holds the same at a higher revision, which no client has seen',
    raise,
  ],
];

interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Runs one command line; resolves with its exit code. The error stream says what goes wrong. */
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
