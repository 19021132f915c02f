import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { attachTo } from '../../streams/attach-to.ts';
import { detachKeysFlag } from '../../streams/detach-keys.ts';
import { containerFlag, runningTimeout, runningTimeoutFlag, terminalFlags } from '../../streams/flags.ts';
import { podOf } from '../../streams/pod-of.ts';

export const attach: Command = {
  name: 'attach',
  short: 'Attach to a running container',
  long: 'Attaches to the input and output of a process that already runs in a container.',
  examples: [
    '# Show the output of the first container of a pod',
    '{} attach web',
    '',
    '# Also send input to a container',
    '{} attach web -c shell -it',
    '',
    '# Detach with other keys than Ctrl-P and Ctrl-Q',
    '{} attach web -it --detach-keys=ctrl-x,q',
  ].join('\n'),
  usage: '(POD | TYPE/NAME) -c CONTAINER',
  flags: [containerFlag, detachKeysFlag, runningTimeoutFlag('1m0s'), ...terminalFlags],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { args } = invocation;
  if (args.length === 0) throw new CommandError('at least 1 argument is required for attach');
  if (args.length > 2)
    throw new CommandError(
      `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(' ')}]`,
    );
  const timeoutMs = runningTimeout(invocation, true);
  await attachTo(invocation, await podOf(invocation, args.join('/'), 'attach to', timeoutMs));
  return undefined;
}
