import type { Pod } from '#schema/generated/core.v1.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import { pathsOf, readFiles } from '../../manifests/files.ts';
import { containerFlag, runningTimeout, runningTimeoutFlag, terminalFlags } from '../../streams/flags.ts';
import { joinProcess, placeIn } from '../../streams/join-process.ts';
import { podOf } from '../../streams/pod-of.ts';
import { availableStreams } from '../../streams/terminal.ts';

export const exec: Command = {
  name: 'exec',
  short: 'Execute a command in a container',
  long: 'Runs a command in a container of a pod, and ends with its exit code.',
  examples: [
    '# Run a command in the first container of a pod',
    '{} exec web -- date',
    '',
    '# Open a shell in a named container',
    '{} exec web -c proxy -it -- sh',
    '',
    '# Run a command in the first pod of a deployment',
    '{} exec deploy/web -- date',
  ].join('\n'),
  usage: '(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]',
  flags: [
    containerFlag,
    { name: 'filename', short: 'f', type: 'strings', help: 'File that contains the pod' },
    runningTimeoutFlag('1m0s'),
    ...terminalFlags,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, beforeDash, io } = invocation;
  const files = flags.list('filename');
  if (files.length === 0 && (!args[0] || beforeDash === 0))
    throw new CommandError('pod, type/name or --filename must be specified');
  const timeoutMs = runningTimeout(invocation, true);
  const own = beforeDash ?? args.length;
  if (beforeDash === undefined && args.length > (files.length > 0 ? 0 : 1))
    throw new UsageError('exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead');
  const command = args.slice(own);
  if (command.length === 0) throw new CommandError('you must specify at least one command for the container');
  const pod =
    files.length > 0 ? await podIn(files, invocation) : await podOf(invocation, args[0]!, 'attach to', timeoutMs);
  const quiet = flags.bool('quiet');
  const place = await placeIn(invocation, pod, flags.text('container'), quiet ? undefined : io.err);
  const wanted = availableStreams(flags.bool('stdin'), flags.bool('tty'), io, quiet);
  await joinProcess(invocation, { ...place, command }, wanted);
  return undefined;
}

async function podIn(files: readonly string[], { io, session }: Invocation): Promise<Pod> {
  pathsOf(files);
  const objects = await readFiles(files, io, { recursive: false });
  if (objects.length !== 1) throw new CommandError('exactly one pod must be named');
  const { object } = objects[0]!;
  if (object.kind !== 'Pod') throw new CommandError(`cannot exec into a ${object.kind} of a file`);
  return { ...object, metadata: { namespace: session.namespace, ...object.metadata } } as unknown as Pod;
}
