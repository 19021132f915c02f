import type { Pod } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import { containerNamed, defaultContainer } from './containers.ts';
import { bytesOfKeys, detachKeysFlag } from './detach-keys.ts';
import { joinProcess } from './join-process.ts';
import { availableStreams } from './terminal.ts';

/**
 * Attaches to the process of a pod's container, as the flags `-i`, `-t`, `-q` and `--detach-keys` request. If `named`
 * is undefined, `-c` names the container.
 * @returns whether the user detached from the process, so that it continues
 * @throws CommandError if the pod has ended, or with the exit code of the process
 */
export async function attachTo(invocation: Invocation, pod: Pod, named?: string): Promise<boolean> {
  const { flags, session, io } = invocation;
  const { name = '', namespace = '' } = pod.metadata;
  const { phase = '' } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed')
    throw new CommandError(`cannot attach a container in a completed pod; current phase is ${phase}`);
  const quiet = flags.bool('quiet');
  const keys = bytesOfKeys(flags.knows(detachKeysFlag.name) ? flags.text(detachKeysFlag.name) : '');
  const given = named ?? (flags.knows('container') ? flags.text('container') : '');
  const container =
    given === ''
      ? defaultContainer(pod, await session.naming(), quiet ? undefined : io.err)
      : containerNamed(pod, given);
  if (container === undefined)
    throw new CommandError(`cannot attach to the container: container ${given} not found in pod ${name}`);
  let tty = flags.bool('tty');
  if (tty && container.tty !== true) {
    tty = false;
    if (!quiet) io.err.write(`error: Unable to use a TTY - container ${container.name} did not allocate one\n`);
  } else if (container.tty === true) tty = true;
  const wanted = availableStreams(flags.bool('stdin'), tty, io, quiet);
  if (!quiet) io.err.write("If you don't see a command prompt, try pressing enter.\n");
  const place = { subresource: 'attach', namespace, pod: name, container: container.name } as const;
  const left = await joinProcess(invocation, place, wanted, keys);
  if (wanted.tty && !quiet && pod.spec?.restartPolicy === 'Always') {
    const keys = wanted.tty ? ' -i -t' : '';
    io.err.write(
      `Session ended, resume using '${(await session.naming()).commandLine} attach ${name} -c ${container.name}${keys}' command when the pod is running\n`,
    );
  }
  return left;
}
