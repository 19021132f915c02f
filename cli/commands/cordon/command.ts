import type { Command } from '../../command-line/command.ts';
import { dryRunFlag, labelSelectorFlag } from '../../resources/flags.ts';
import { nodesOf, setUnschedulable } from '../drain/nodes.ts';

function cordonCommand(name: 'cordon' | 'uncordon', what: string): Command {
  return {
    name,
    short: `Mark node as ${what}`,
    examples: `# One node by its name, and all nodes with a label\n{} ${name} n1\n{} ${name} -l zone=a`,
    usage: 'NODE',
    flags: [dryRunFlag, labelSelectorFlag],
    run: async (invocation) => {
      await setUnschedulable(invocation, await nodesOf(invocation), name === 'cordon');
      return undefined;
    },
  };
}

export const cordon: Command = cordonCommand('cordon', 'unschedulable');
export const uncordon: Command = cordonCommand('uncordon', 'schedulable');
