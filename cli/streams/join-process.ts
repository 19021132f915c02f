import { ApiError } from '#client/errors.ts';
import { pathSegment } from '#client/path-segment.ts';
import { type ProcessEnd, type ProcessStreams, remoteCommand } from '#client/streams/remote-command.ts';
import type { TextOutput } from '#program/process/standard-output.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import { defaultContainer } from './containers.ts';
import { untilKeys } from './detach-keys.ts';
import { type StreamOptions, takeKeys, terminalSizes } from './terminal.ts';

/** A connection to a process, by `exec` or `attach` of a pod's container. */
export interface Joined {
  readonly subresource: 'exec' | 'attach';
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command?: readonly string[];
}

/** The path of a stream, with its options. */
function streamPath(
  { subresource, namespace, pod, container, command = [] }: Joined,
  { stdin, stdout, stderr, tty }: Readonly<Record<'stdin' | 'stdout' | 'stderr' | 'tty', boolean>>,
): string {
  const query = new URLSearchParams();
  for (const word of command) query.append('command', word);
  query.set('container', container);
  for (const [name, value] of Object.entries({ stderr, stdin, stdout, tty })) if (value) query.set(name, 'true');
  const [space, name] = [pathSegment(namespace, 'namespace'), pathSegment(pod)];
  return `/api/v1/namespaces/${space}/pods/${name}/${subresource}?${query}`;
}

/**
 * The container in which to run a process. If the pod has several containers, the function writes the name of the
 * default one to `tell`.
 * @throws CommandError if the pod has ended
 */
export async function placeIn(
  { session }: Invocation,
  pod: Pod,
  given: string,
  tell: TextOutput | undefined,
): Promise<Omit<Joined, 'command'>> {
  const { phase = '' } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed')
    throw new CommandError(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  const container = given || defaultContainer(pod, await session.naming(), tell).name;
  const { name = '', namespace = session.namespace } = pod.metadata;
  return { subresource: 'exec', namespace, pod: name, container };
}

/**
 * Runs a command and connects it to the streams of this program.
 * @throws CommandError with the command's exit code if it fails
 */
export async function runBetween({ session, io }: Invocation, joined: Joined, streams: ProcessStreams): Promise<void> {
  const wants = { stdin: streams.stdin !== undefined, stdout: true, stderr: true, tty: false };
  const call = { path: streamPath(joined, wants), signal: io.signal, timeoutMs: session.settings.requestTimeoutMs };
  checkEnd(await remoteCommand(await session.client(), call, streams));
}

/**
 * Connects the streams of this process with another process. Resolves when that process has ended, or when the user
 * detaches from it.
 * @param detachKeys the keys that detach from a process with a terminal, which then continues, or undefined if no keys
 * do this
 * @returns whether the user detached from the process
 * @throws CommandError with the exit code of the process if it fails
 */
export async function joinProcess(
  invocation: Invocation,
  joined: Joined,
  { stdin, tty }: StreamOptions,
  detachKeys?: Buffer,
): Promise<boolean> {
  const { session, io } = invocation;
  const { input, output, errors } = io.streams;
  const path = streamPath(joined, { stdin, stdout: true, stderr: !tty, tty });
  const client = await session.client();
  const left = new AbortController();
  const keys = stdin && tty && detachKeys !== undefined ? untilKeys(detachKeys, () => left.abort()) : undefined;
  const giveBack = tty ? takeKeys(io) : undefined;
  if (keys !== undefined) input.pipe(keys);
  let end: ProcessEnd;
  try {
    end = await remoteCommand(
      client,
      { path, signal: AbortSignal.any([io.signal, left.signal]), timeoutMs: session.settings.requestTimeoutMs },
      {
        stdout: output,
        stderr: tty ? undefined : errors,
        stdin: stdin ? (keys ?? input) : undefined,
        sizes: tty ? terminalSizes(io) : undefined,
      },
    );
  } catch (error) {
    io.signal.throwIfAborted();
    if (left.signal.aborted) return true;
    throw error;
  } finally {
    if (keys !== undefined) input.unpipe(keys).pause();
    giveBack?.();
  }
  checkEnd(end);
  return false;
}

/** @throws CommandError with the exit code of the process if it failed */
function checkEnd({ status, code }: ProcessEnd): void {
  if (code === 0) return;
  if (code !== undefined)
    throw new CommandError(`command terminated with exit code ${code}`, { plain: true, exitCode: code });
  if (status.kind === 'Status' && status.code !== undefined) throw new ApiError(status.code, status);
  throw new CommandError(status.message || 'the process ended without a message');
}
