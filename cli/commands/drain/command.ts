import { ApiError } from '#client/errors.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { apiErrorText } from '../../command-line/explain-error.ts';
import { CommandError } from '../../framework/errors.ts';
import { chunkSizeFlag, dryRunFlag, labelSelectorFlag } from '../../resources/flags.ts';
import { dryRunOf, dryRunSuffix } from '../../write/dry-run.ts';
import { evict } from './evict.ts';
import { nodesOf, setUnschedulable } from './nodes.ts';
import { podsToRemove } from './pods.ts';

export const drain: Command = {
  name: 'drain',
  short: 'Drain node in preparation for maintenance',
  long: 'Drain node in preparation for maintenance.\n\n The node gets no new pods, and its pods are evicted if disruption budgets allow it; refused evictions are tried again. With --ignore-daemonsets, pods of daemon sets stay. Pods without a controller are lost after their removal, which needs --force.',
  examples: [
    '# Drain a node whose pods all have a controller',
    '{} drain n1 --ignore-daemonsets',
    '',
    '# Also remove pods without a controller, and pods with local data',
    '{} drain n1 --ignore-daemonsets --delete-emptydir-data --force',
  ].join('\n'),
  usage: 'NODE',
  flags: [
    chunkSizeFlag,
    { name: 'delete-emptydir-data', type: 'bool', help: 'Also evict pods with emptyDir volumes, whose data is lost' },
    {
      name: 'disable-eviction',
      type: 'bool',
      help: 'Delete the pods instead of evicting them, which ignores disruption budgets',
    },
    dryRunFlag,
    { name: 'force', type: 'bool', help: 'Also remove pods that have no controller' },
    {
      name: 'grace-period',
      type: 'int',
      default: -1,
      help: 'Seconds for pods to stop; a negative value uses the grace period of the pod',
    },
    { name: 'ignore-daemonsets', type: 'bool', help: 'Ignore pods of daemon sets; they stay on the node' },
    { name: 'pod-selector', type: 'string', help: 'Label selector of the pods to evict' },
    labelSelectorFlag,
    {
      name: 'skip-wait-for-delete-timeout',
      type: 'int',
      default: 0,
      help: 'Do not wait for pods whose deletion began more than this many seconds ago; 0 waits for all',
    },
    { name: 'timeout', type: 'duration', help: 'Time limit for the drain of each node; 0 means no limit' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, io } = invocation;
  const dryRun = dryRunOf(invocation);
  if (/@|[^\w\-./=!,() ]/.test(flags.text('pod-selector')))
    throw new CommandError('--pod-selector=<pod_selector> must be a valid label selector');
  const nodes = await nodesOf(invocation);
  await setUnschedulable(invocation, nodes, true);
  const failed: string[] = [];
  const texts = new Set<string>();
  for (const { object } of nodes) {
    const name = object.metadata.name!;
    try {
      await drainNode(invocation, name);
      io.out.write(`node/${name} drained${dryRunSuffix[dryRun]}\n`);
    } catch (error) {
      io.signal.throwIfAborted();
      if (!(error instanceof CommandError) && !(error instanceof ApiError)) throw error;
      const lines = (error instanceof ApiError ? apiErrorText(error) : error.message).split('\n');
      failed.push(name);
      for (const line of lines) texts.add(line);
      const what = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
      io.err.write(
        `error: unable to drain node ${JSON.stringify(name)} due to error: ${what}, continuing command...\n`,
      );
    }
  }
  if (failed.length === 0) return undefined;
  io.err.write(`There are pending nodes to be drained:\n${failed.map((name) => ` ${name}\n`).join('')}`);
  throw new CommandError([...texts].join('\n'), { plain: true });
}

async function drainNode(invocation: Invocation, node: string): Promise<void> {
  const { flags, session, io } = invocation;
  const type = await session.typeNamed('pods');
  if (type === undefined) throw new CommandError('the server has no pods');
  const client = await session.client();
  const limit = flags.int('chunk-size') || Number.MAX_SAFE_INTEGER;
  const here = { fieldSelector: `spec.nodeName=${node}`, labelSelector: flags.text('pod-selector'), limit };
  const pods = [];
  for await (const page of client.resource(type).pages(here)) pods.push(...page.items);
  const { pods: leaving, warnings } = await podsToRemove(invocation, pods);
  if (warnings !== '') io.err.write(`Warning: ${warnings}\n`);
  const dryRun = dryRunOf(invocation);
  const results = await Promise.allSettled(leaving.map((pod) => evict(invocation, pod, dryRun)));
  io.signal.throwIfAborted();
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new CommandError(errors.map((error) => error.message).join('\n'), { plain: true });
}
