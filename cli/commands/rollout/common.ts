import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { fileFlags, labelSelectorFlag } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { isNameless, select } from '../../resources/selection.ts';

/** The flags that name the workloads of a command. */
export const workloadFlags: readonly Flag[] = [...fileFlags, labelSelectorFlag];

/** The kinds that roll out changes of their template. */
export const ROLLED = ['Deployment', 'DaemonSet', 'StatefulSet'];

/**
 * The workloads that arguments, files and selectors name. Errors about single workloads are added to `errors`.
 * @throws CommandError for wrong arguments
 */
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

/** Other kinds that have pods. They have no rollouts. Their error text differs from the text for kinds without pods. */
const WITH_PODS = ['Pod', 'Job', 'CronJob', 'ReplicaSet', 'ReplicationController'];

/**
 * @param what the thing that does not exist for the kind
 * @param missing its name in the other form of the error
 */
export function notRolled(type: DiscoveredType, what: string, missing: string): CommandError {
  const kind = groupKind(type);
  if (WITH_PODS.includes(type.kind)) return new CommandError(`no ${missing} has been implemented for "${kind}"`);
  return new CommandError(
    `error retrieving ${what} for "${kind}", no visitor method exists for {${type.group} ${type.kind}}`,
  );
}

/** The text of a kind, such as `ReplicaSet.apps`. */
export function groupKind({ kind, group }: DiscoveredType): string {
  return inGroup(kind, group);
}

/** The text of an object, such as `deployments.apps "web"`. */
export function quoted({ type, object }: Found): string {
  return `${inGroup(type.plural, type.group)} ${JSON.stringify(object.metadata.name)}`;
}
