import { harmlessText } from '#base/text/terminal-text.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import { candidates } from './candidates.ts';
import { namesOfDirective } from './proposal.ts';
import { scripts } from './scripts.ts';

const shells = [...scripts.keys()];

export const completion: Command = {
  name: 'completion',
  short: 'Output shell completion code for the specified shell (bash, zsh, fish, or powershell)',
  long: 'Output shell completion code for the specified shell (bash, zsh, fish, or powershell). The shell then completes commands, flags, types, and names of objects on the server.',
  examples: [
    '# Enable completion in this shell, and in every new shell',
    'source <({} completion bash)',
    "echo 'source <({} completion bash)' >> ~/.bashrc",
    '',
    '# zsh and fish',
    'source <({} completion zsh)',
    '{} completion fish | source',
  ].join('\n'),
  usage: 'SHELL',
  run: async ({ args, io }) => {
    if (args.length === 0) throw new UsageError('Shell not specified.');
    if (args.length > 1) throw new UsageError('Too many arguments. Expected only the shell type.');
    const script = scripts.get(args[0]!);
    if (script === undefined) throw new UsageError(`Unsupported shell type "${args[0]}".`);
    io.out.write(script);
    return undefined;
  },
  complete: async () => shells,
};

/** The command that shells run: it prints proposals for the last word. */
export const complete: Command = {
  name: '__complete',
  short: 'Print the words that may come next, for shells',
  literal: true,
  run: (invocation) => tell(invocation, true),
};

/** The same command without explanations of the words. */
export const completeNames: Command = {
  ...complete,
  name: '__completeNoDesc',
  run: (invocation) => tell(invocation, false),
};

async function tell({ args, io, commands }: Invocation, withHelp: boolean): Promise<undefined> {
  if (args.length === 0) throw new CommandError('Error: requires at least 1 arg(s), only received 0', { plain: true });
  const { words, directive } = await candidates(commands, args, io);
  // A shell writes the proposals to its terminal.
  for (const { text, help } of words)
    io.out.write(harmlessText(withHelp && help !== undefined ? `${text}\t${help.split('\n')[0]}\n` : `${text}\n`));
  io.out.write(`:${directive}\n`);
  io.err.write(`Completion ended with directive: ${namesOfDirective(directive)}\n`);
  return undefined;
}
