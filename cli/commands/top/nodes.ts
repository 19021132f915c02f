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
  type Usage,
  usageOf,
} from './usage.ts';

const HEADINGS = ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'];
const SWAP_HEADINGS = ['SWAP(bytes)', 'SWAP(%)'];
const UNKNOWN = '<unknown>';

export const topNode: Command = {
  name: 'node',
  aliases: ['nodes', 'no'],
  short: 'Display resource (CPU/memory) usage of nodes',
  examples: '# All nodes, and one node\n{} top node\n{} top node n1',
  usage: '[NAME | -l label]',
  flags: [
    ...topFlags,
    {
      name: 'show-capacity',
      type: 'bool',
      help: 'Show the use as a percentage of the capacity, not of what is allocatable for pods',
    },
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
  const withSwap = flags.bool('show-swap');
  const headings = [...HEADINGS, ...(withSwap ? SWAP_HEADINGS : [])];
  const all = new Map(nodes.map((node) => [node.metadata.name!, amountsOf(node, flags.bool('show-capacity'))]));
  const lines = inOrder(metrics, sortBy, used, (one) => one.metadata.name!).map((one) => {
    const amounts = all.get(one.metadata.name!);
    const [usage, whole] = [used(one), usageOf(amounts)];
    const parts = [percent(usage.cpu, whole.cpu, 1_000_000n), percent(usage.memory, whole.memory, 1_000_000n)];
    all.delete(one.metadata.name!);
    const swap = withSwap ? swapOf(usage, amounts?.['swap'] === undefined ? undefined : whole.swap) : [];
    return [one.metadata.name!, cores(usage), parts[0]!, bytes(usage.memory), parts[1]!, ...swap];
  });
  const unknown = [...all.keys()].sort().map((each) => [each, ...headings.slice(1).map(() => UNKNOWN)]);
  io.out.write(table([...(flags.bool('no-headers') ? [] : [headings]), ...lines, ...unknown]));
  return undefined;
}

const used = (one: ApiObject) => usageOf(one['usage'] as Amounts);

interface NodeStatus {
  readonly capacity?: Amounts;
  readonly allocatable?: Amounts;
  /** `swap.capacity` is a number of bytes. */
  readonly nodeInfo?: { readonly swap?: { readonly capacity?: number } };
}

/** The amounts of a node. They include the size of its swap if the node reports that size. */
function amountsOf(node: ApiObject, capacity: boolean): Amounts {
  const status = (node['status'] ?? {}) as NodeStatus;
  const swap = status.nodeInfo?.swap?.capacity;
  return { ...status[capacity ? 'capacity' : 'allocatable'], ...(swap === undefined ? {} : { swap: String(swap) }) };
}

/**
 * The swap that a node uses, and its share of the total.
 * @param whole undefined if the node does not report the total
 */
function swapOf({ swap }: Usage, whole: bigint | undefined): [string, string] {
  if (whole === undefined) return [UNKNOWN, UNKNOWN];
  return [bytes(swap), whole === 0n ? '0%' : percent(swap, whole, 1_000_000n)];
}
