import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import type { Flag } from '../frame/flag.ts';
import { fileFlags, labelSelectorFlag } from '../resources/flags.ts';
import { type Found, found } from '../resources/found.ts';
import { inGroup } from '../resources/in-group.ts';
import { isNameless, select } from '../resources/selection.ts';

/** What names the workloads that a command is about. */
export const workloadFlags: readonly Flag[] = [...fileFlags, labelSelectorFlag];

/** Kinds whose templates are rolled out. */
export const ROLLED = ['Deployment', 'DaemonSet', 'StatefulSet'];

/** The workloads that arguments, files and selectors name. What cannot be had is added to `errors`. @throws CommandError */
export async function workloads(
  invocation: Invocation,
  errors: unknown[],
  nothing: 'told' | 'silently' = 'told',
): Promise<Found[]> {
  const { flags, args, session } = invocation;
  if (args.length === 0 && flags.list('filename').length === 0)
    throw new CommandError('required resource not specified');
  const selection = await select(session, flags, { args, typeMeansAll: true });
  errors.push(...selection.errors);
  const chosen: Found[] = [];
  for await (const one of found(session, selection, (error) => errors.push(error)))
    if (isNameless(one.target)) errors.push(new CommandError('resource name may not be empty'));
    else chosen.push(one);
  if (chosen.length === 0 && errors.length === 0 && nothing === 'told')
    session.io.err.write(`No resources found in ${session.namespace} namespace.\n`);
  return chosen;
}

/** `ReplicaSet.apps` */
export function groupKind({ kind, group }: DiscoveredType): string {
  return inGroup(kind, group);
}

/** `deployments.apps "web"` */
export function quoted({ type, object }: Found): string {
  return `${inGroup(type.plural, type.group)} ${JSON.stringify(object.metadata.name)}`;
}
