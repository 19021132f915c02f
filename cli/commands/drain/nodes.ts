import type { Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { dryRunOf, dryRunSuffix } from '../../write/dry-run.ts';
import { writeOptions } from '../../write/write-options.ts';

/**
 * The nodes that the arguments or `-l` name.
 * @throws CommandError for wrong arguments, ApiError if a node does not exist
 */
export async function nodesOf({ command, flags, args, session }: Invocation): Promise<Found[]> {
  const selector = flags.text('selector');
  if (args.length === 0 && selector === '') throw new UsageError(`USAGE: ${command.name} NODE [flags]`);
  if (args.length > 0 && selector !== '')
    throw new UsageError('cannot specify both a node name and a --selector option');
  const words = args.length > 0 && !args.some((arg) => arg.includes('/')) ? ['nodes', ...args] : args;
  const selection = await select(session, flags, { args: words.length === 0 ? ['nodes'] : words });
  const errors: unknown[] = [];
  const nodes: Found[] = [];
  for await (const one of found(session, selection, (error) => errors.push(error))) nodes.push(one);
  const other = nodes.find(({ type }) => type.kind !== 'Node');
  if (other !== undefined)
    throw new CommandError(`error: unable to ${command.name} ${other.type.plural} ${other.object.metadata.name}`);
  throwAll(errors);
  return nodes;
}

/** Sets whether nodes accept new pods, and reports each node. @throws the refusals, after it has tried all nodes */
export async function setUnschedulable(
  invocation: Invocation,
  nodes: readonly Found[],
  unschedulable: boolean,
): Promise<void> {
  const { session, io } = invocation;
  const dryRun = dryRunOf(invocation);
  const word = unschedulable ? 'cordoned' : 'uncordoned';
  const errors: unknown[] = [];
  for (const { type, object } of nodes) {
    const name = object.metadata.name!;
    const { unschedulable: now = false } = (object['spec'] ?? {}) as { unschedulable?: boolean };
    try {
      if (now !== unschedulable && dryRun !== 'client') {
        const resource = (await session.client()).resource(type).in(undefined);
        const patch = { spec: { unschedulable: unschedulable ? true : null } };
        await resource.patch(name, 'strategic', patch, await writeOptions(invocation, '', dryRun));
      }
      io.out.write(`node/${name} ${now === unschedulable ? 'already ' : ''}${word}${dryRunSuffix[dryRun]}\n`);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
}
