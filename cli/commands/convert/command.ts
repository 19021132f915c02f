import { statSync } from 'node:fs';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import { type FileObject, isUrl, pathsOf } from '../../manifests/files.ts';
import { outputFlags } from '../../output/printer.ts';
import { fileFlags, namesFiles, validateFlag } from '../../resources/flags.ts';
import { objectsOfFiles, select } from '../../resources/selection.ts';
import { wordsOf, wordsOfVersion } from './words.ts';

export const convert: Command = {
  name: 'convert',
  short: 'Convert config files between different API versions',
  long: 'Convert config files between different API versions. Both YAML and JSON formats are accepted.\n\n Objects of built-in kinds are converted to the version of --output-version. Missing fields get the defaults of the original version. By default the command sends no request to a server. Without --output-version it uses the version that every server can read.',
  examples: [
    "# Convert 'hpa.yaml' to another version",
    '{} convert -f hpa.yaml --output-version autoscaling/v2',
    '',
    '# Convert all files in this folder and its subfolders to a list in JSON',
    '{} convert -f . -R -o json',
  ].join('\n'),
  usage: '-f FILENAME',
  flags: [
    ...fileFlags,
    {
      name: 'local',
      type: 'bool',
      default: true,
      help: 'Convert without a server; =false asks the server for its types',
    },
    {
      name: 'output-version',
      type: 'string',
      help: "API version of the printed objects, such as 'autoscaling/v2'",
    },
    ...outputFlags(),
    validateFlag,
  ],
  run,
};

async function run({ flags, session, io }: Invocation): Promise<undefined> {
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  const { objectsPrinter } = await import('./print.ts');
  const print = await objectsPrinter(flags);
  const errors: unknown[] = [];
  const files = await read(session, flags, errors);
  const version = outputVersion(flags);
  const words = wordsOfVersion(version) ?? (await commonWords(session, flags, files));
  const { converted, known } = await import('./convert-objects.ts');
  const objects = files.flatMap((file) => {
    try {
      return [known(file, words)];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  throwAll(errors);
  if (objects.length === 0) throw new CommandError('no objects passed to convert');
  const done = objects.map((object) => converted(object, version));
  io.out.write(print(done, done.length > 1 || !namesOneFile(flags)));
  return undefined;
}

/** The objects in the files. If there is a server, it must serve their types. */
async function read(session: Session, flags: Flags, errors: unknown[]): Promise<readonly FileObject[]> {
  if (flags.bool('local')) return objectsOfFiles(session, flags, { onError: (error) => errors.push(error) });
  const selection = await select(session, flags, { args: [], asWritten: true });
  errors.push(...selection.errors);
  return selection.targets.map(({ object, source = '' }) => ({ object: object!, source }));
}

/**
 * The naming of a file that is valid in both namings. It is the naming of the other objects, else the server's, else
 * this program's.
 */
async function commonWords(session: Session, flags: Flags, files: readonly FileObject[]): Promise<Naming> {
  if (!flags.bool('local')) return session.naming();
  for (const { object } of files) {
    const words = wordsOf(object);
    if (words !== undefined) return words;
  }
  return (await session.rememberedNaming()) ?? createNaming(namingProfiles[0]!);
}

/** Parses `group/version`, or a version of the core group. @throws CommandError if the text is malformed */
function outputVersion(flags: Flags): string {
  const version = flags.text('output-version');
  if (version.split('/').length > 2) throw new CommandError(`unexpected GroupVersion string: ${version}`);
  return version.replace(/^\//, '');
}

/** Whether the flags name a single file with one or several objects. A folder and standard input do not count. */
function namesOneFile(flags: Flags): boolean {
  const names = flags.list('filename');
  if (names.length === 0) return true;
  if (names.includes('-')) return false;
  const paths = pathsOf(names);
  return paths.length === 1 && (isUrl(paths[0]!) || !statSync(paths[0]!).isDirectory());
}
