import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import {
  type Amounts,
  bytes,
  checkSortBy,
  cores,
  inOrder,
  percent,
  readMetrics,
  table,
  topFlags,
  usageOf,
} from './usage.ts';

const HEADINGS = ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'];

export const topNode: Command = {
  name: 'node',
  aliases: ['nodes', 'no'],
  short: 'Display resource (CPU/memory) usage of nodes',
  examples: '# All nodes, and one\n{} top node\n{} top node n1',
  usage: '[NAME | -l label]',
  flags: [
    ...topFlags,
    { name: 'show-capacity', type: 'bool', help: 'Tell how much of the capacity is used, not of what pods may have' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { args, flags, session, io } = invocation;
  if (args.length > 1) throw new UsageError('node [NAME | -l label]');
  const [name] = args;
  const sortBy = checkSortBy(invocation);
  const labelSelector = flags.text('selector');
  if (name !== undefined && labelSelector !== '')
    throw new CommandError('only one of NAME or --selector can be provided');
  const metrics = await readMetrics(invocation, { plural: 'nodes', name }, { labelSelector });
  if (metrics.length === 0) throw new CommandError('metrics not available yet');
  const type = (await session.typeNamed('nodes'))!;
  const client = (await session.client()).resource(type);
  const nodes = name === undefined ? (await client.list({ labelSelector })).items : [await client.get(name)];
  const all = new Map(nodes.map((node) => [node.metadata.name!, amountsOf(node, flags.bool('show-capacity'))]));
  const lines = inOrder(metrics, sortBy, used, (one) => one.metadata.name!).map((one) => {
    const [usage, whole] = [used(one), usageOf(all.get(one.metadata.name!))];
    const parts = [percent(usage.cpu, whole.cpu, 1_000_000n), percent(usage.memory, whole.memory, 1_000_000n)];
    all.delete(one.metadata.name!);
    return [one.metadata.name!, cores(usage), parts[0]!, bytes(usage), parts[1]!];
  });
  const unknown = [...all.keys()].sort().map((each) => [each, ...HEADINGS.slice(1).map(() => '<unknown>')]);
  io.out.write(table([...(flags.bool('no-headers') ? [] : [HEADINGS]), ...lines, ...unknown]));
  return undefined;
}

const used = (one: ApiObject) => usageOf(one['usage'] as Amounts);

function amountsOf({ status }: ApiObject & { status?: unknown }, capacity: boolean): Amounts {
  const { [capacity ? 'capacity' : 'allocatable']: amounts } = (status ?? {}) as Record<string, Amounts>;
  return amounts;
}
