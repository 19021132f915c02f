import { existsSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { completePods } from '../../streams/complete.ts';
import { containerFlag } from '../../streams/flags.ts';
import { type Joined, placeIn, runBetween } from '../../streams/join-process.ts';
import { podsOf } from '../../streams/pod-of.ts';
import { type FileSpec, parseFileSpec } from './file-spec.ts';
import { unpack } from './unpack.ts';
import { writeTar } from './write-tar.ts';

export const cp: Command = {
  name: 'cp',
  short: 'Copy files and directories to and from containers',
  long: 'Copies files and folders to and from containers. The image of the container must contain tar. Links in containers are not copied; use {} exec with tar to copy them.',
  examples: [
    '# Copy a folder to a pod of another namespace',
    '{} cp ./conf other/web:/etc/conf',
    '',
    '# Copy a file from a named container',
    '{} cp web:/var/log/access.log ./access.log -c proxy',
  ].join('\n'),
  usage: '<file-spec-src> <file-spec-dest>',
  flags: [
    containerFlag,
    {
      name: 'no-preserve',
      type: 'bool',
      help: 'Do not set the owner and permissions of files that are copied into the container',
    },
    {
      name: 'retries',
      type: 'int',
      default: 0,
      help: 'How often to continue an interrupted copy from a container; a negative value means no limit',
    },
  ],
  complete: completePods,
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { args } = invocation;
  if (args.length !== 2) throw new CommandError('source and destination are required');
  const [source, target] = args.map(parseFileSpec) as [FileSpec, FileSpec];
  if (source.pod !== '' && target.pod !== '')
    throw new CommandError('one of src or dest must be a local file specification');
  if (source.file === '' || target.file === '') throw new CommandError('filepath can not be empty');
  if (source.pod !== '') await copyOut(invocation, source, target.file);
  else if (target.pod !== '') await copyIn(invocation, source.file, target);
  else throw new CommandError('one of src or dest must be a remote file specification');
  return undefined;
}

/** The container in which a file is. */
async function placeOf(invocation: Invocation, { namespace, pod }: FileSpec, tell: Invocation['io']['err']) {
  const { session, flags } = invocation;
  const pods = await podsOf(session, namespace || session.namespace);
  return placeIn(invocation, await pods.get(pod), flags.text('container'), tell);
}

const nowhere = () => new Writable({ write: (_, __, done) => done() });

async function copyIn(invocation: Invocation, source: string, target: FileSpec): Promise<void> {
  const { flags, io } = invocation;
  if (!existsSync(source)) throw new CommandError(`${source} doesn't exist in local filesystem`);
  const place = await placeOf(invocation, target, io.err);
  // If the target is an existing folder, the copy is created in that folder, as with `cp`.
  const wanted = path.posix.normalize(target.file.replace(/(.)\/+$/, '$1'));
  const isFolder = await runBetween(
    invocation,
    { ...place, command: ['test', '-d', wanted] },
    { stdout: nowhere(), stderr: nowhere() },
  ).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CommandError) return false;
      throw error;
    },
  );
  const file = isFolder ? path.posix.join(wanted, path.basename(path.resolve(source))) : wanted;
  const kept = flags.bool('no-preserve') ? ['--no-same-permissions', '--no-same-owner'] : [];
  const command = ['tar', ...kept, '-xmf', '-', '-C', path.posix.dirname(file)];
  const archive = Readable.from(writeTar(source, path.posix.basename(file)), { objectMode: false });
  const packed = new Promise<never>((_, reject) => archive.once('error', reject));
  packed.catch(() => {});
  const { output, errors } = io.streams;
  const unpacked = runBetween(invocation, { ...place, command }, { stdin: archive, stdout: output, stderr: errors });
  await Promise.race([unpacked, packed]);
}

async function copyOut(invocation: Invocation, source: FileSpec, target: string): Promise<void> {
  const { session, io } = invocation;
  const place = await placeOf(invocation, source, io.out);
  const program = (await session.naming()).commandLine;
  const { namespace, pod } = place;
  const plain = source.file.replace(/(.)\/+$/, '$1');
  const advice = `"${program} exec -n ${JSON.stringify(namespace)} ${JSON.stringify(pod)} -- tar cf - ${JSON.stringify(plain)} | tar xf -"`;
  const archive = new PassThrough();
  const sent = sendArchive(invocation, place, plain, archive).then(
    () => void archive.end(),
    (error: Error) => {
      // The command writes the bytes that have arrived before it reports the error.
      archive.end();
      throw error;
    },
  );
  sent.catch(() => {});
  const prefix = withoutShortcuts(path.posix.normalize(plain).replace(/^\/+/, ''));
  const folder = target.replace(/(.)\/+$/, '$1');
  try {
    await unpack(archive, { prefix, target: folder, warn: io.err, advice });
    archive.resume();
  } catch (error) {
    // Reads and drops the bytes that still arrive.
    archive.destroy();
    await sent.catch(() => {});
    throw error;
  }
  await sent;
}

/** A path without the parts that lead out of a folder: `../../a` becomes `a`. */
function withoutShortcuts(text: string): string {
  const short = text.replace(/^(\.\.\/)+/, '');
  return short === '.' || short === '..' || short === '/' ? '' : short;
}

/**
 * Sends the archive of a file. If the stream breaks off, it continues from that byte. It tries at most `--retries`
 * times again.
 * @throws CommandError if all attempts fail
 */
async function sendArchive(
  invocation: Invocation,
  place: Omit<Joined, 'command'>,
  file: string,
  archive: PassThrough,
): Promise<void> {
  const { flags, io } = invocation;
  const most = flags.int('retries');
  let bytes = 0;
  const counted = () =>
    new Writable({
      write(piece: Buffer, _, done) {
        bytes += piece.length;
        if (archive.destroyed || archive.write(piece)) return done();
        const goOn = () => {
          archive.off('drain', goOn).off('close', goOn);
          done();
        };
        archive.on('drain', goOn).on('close', goOn);
      },
    });
  // Error messages of tar are not part of the copied bytes; the command prints them with its own messages.
  const stderr = () =>
    new Writable({
      write(piece: Buffer, _, done) {
        io.out.write(piece.toString());
        done();
      },
    });
  for (let attempt = 0; ; attempt++) {
    const quoted = `'${file.replaceAll("'", `'\\''`)}'`;
    const command = bytes === 0 ? ['tar', 'cf', '-', file] : ['sh', '-c', `tar cf - ${quoted} | tail -c+${bytes + 1}`];
    try {
      await runBetween(invocation, { ...place, command }, { stdout: counted(), stderr: stderr() });
      return;
    } catch (error) {
      io.signal.throwIfAborted();
      const broken = !(error instanceof CommandError);
      if (!broken || most === 0) throw error;
      if (most > 0 && attempt >= most) {
        io.err.write(`Dropping out copy after ${most} retries\n`);
        throw error;
      }
      io.err.write(`Resuming copy at ${bytes} bytes, retry ${attempt + 1}/${most}\n`);
    }
  }
}
