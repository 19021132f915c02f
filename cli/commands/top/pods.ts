import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import { allNamespacesFlag, fieldSelectorFlag } from '../../resources/flags.ts';
import {
  type Amounts,
  bytes,
  checkSortBy,
  cores,
  inOrder,
  readMetrics,
  sumOf,
  table,
  topFlags,
  type Usage,
  usageOf,
} from './usage.ts';

/** The age up to which a pod may still get its first metrics. */
const LATEST_MS = 2 * 60_000;

interface ContainerMetrics {
  readonly name: string;
  readonly usage?: Amounts;
}

export const topPod: Command = {
  name: 'pod',
  aliases: ['pods', 'po'],
  short: 'Display resource (CPU/memory) usage of pods',
  examples:
    '# Pods of the namespace sorted by their use, and their containers\n{} top pod --sort-by=cpu\n{} top pod web --containers',
  usage: '[NAME | -l label]',
  flags: [
    allNamespacesFlag,
    { name: 'containers', type: 'bool', help: 'Show the use of each container' },
    fieldSelectorFlag,
    { name: 'sum', type: 'bool', help: 'Show also the sum of all pods' },
    ...topFlags,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { args, flags, session, io } = invocation;
  if (args.length > 1) throw new UsageError('pod [NAME | -l label]');
  const [name] = args;
  const sortBy = checkSortBy(invocation);
  const query = { labelSelector: flags.text('selector'), fieldSelector: flags.text('field-selector') };
  if (name !== undefined && (query.labelSelector !== '' || query.fieldSelector !== ''))
    throw new CommandError('only one of NAME or selector can be provided');
  const everywhere = flags.bool('all-namespaces');
  const namespace = everywhere ? undefined : session.namespace;
  const metrics = await readMetrics(invocation, { plural: 'pods', namespace, name }, query);
  if (metrics.length === 0) {
    await explainEmpty(invocation, namespace, query);
    io.err.write(everywhere ? 'No resources found\n' : `No resources found in ${session.namespace} namespace.\n`);
  }
  const containers = flags.bool('containers');
  const measures = ['CPU(cores)', 'MEMORY(bytes)', ...(flags.bool('show-swap') ? ['SWAP(bytes)'] : [])];
  const cells = (usage: Usage) => [cores(usage), bytes(usage.memory), bytes(usage.swap)].slice(0, measures.length);
  const headings = [...(everywhere ? ['NAMESPACE'] : []), ...(containers ? ['POD'] : []), 'NAME', ...measures];
  const lines = inOrder(metrics, sortBy, usedBy, ({ metadata }) =>
    everywhere ? `${metadata.namespace}\u0000${metadata.name}` : metadata.name!,
  ).flatMap((one) => {
    const lead = everywhere ? [one.metadata.namespace ?? ''] : [];
    if (!containers) return [[...lead, one.metadata.name!, ...cells(usedBy(one))]];
    return inOrder(
      containersOf(one),
      sortBy,
      ({ usage }) => usageOf(usage),
      (each) => each.name,
    ).map((container) => [...lead, one.metadata.name!, container.name, ...cells(usageOf(container.usage))]);
  });
  const total = sumOf(metrics.map(usedBy));
  const before = Array.from({ length: headings.length - measures.length }, () => '');
  const sum = [
    [...before, ...measures.map(() => '________')],
    [...before, ...cells(total)],
  ];
  const shown = flags.bool('no-headers') || metrics.length === 0 ? [] : [headings];
  io.out.write(table([...shown, ...lines, ...(flags.bool('sum') && metrics.length > 0 ? sum : [])]));
  return undefined;
}

function containersOf(one: ApiObject): readonly ContainerMetrics[] {
  return (one['containers'] ?? []) as readonly ContainerMetrics[];
}

const usedBy = (one: ApiObject) => sumOf(containersOf(one).map(({ usage }) => usageOf(usage)));

/** @throws CommandError if there is a pod that is old enough to have metrics */
async function explainEmpty(
  { session, io }: Invocation,
  namespace: string | undefined,
  query: { readonly labelSelector: string; readonly fieldSelector: string },
): Promise<void> {
  const type = (await session.typeNamed('pods'))!;
  const { items } = await (await session.client()).resource(type).in(namespace).list(query);
  for (const { metadata } of items) {
    const age = io.now() - Date.parse(metadata.creationTimestamp ?? '');
    if (age > LATEST_MS)
      throw new CommandError(
        `Metrics not available for pod ${metadata.namespace}/${metadata.name}, age: ${Math.round(age / 1000)}s`,
      );
  }
}
