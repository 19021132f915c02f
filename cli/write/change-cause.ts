import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import type { Flag } from '../framework/flag.ts';
import type { DryRun } from './dry-run.ts';
import { writeOptions } from './write-options.ts';

/** The flag `--record`. With it, an annotation of the object contains the command, and `rollout history` shows it. */
export const recordFlag: Flag = {
  name: 'record',
  type: 'bool',
  help: 'Store the command line in an annotation of the object',
  deprecated: '--record will be removed in the future',
};

/** The flags whose values are secret, so an annotation must not contain them. */
const SECRET: ReadonlySet<string> = new Set(['token', 'password']);

/** The command line for the annotation. It has the command, its arguments, and the flags by their long names. */
function causeOf({ path, args, flags }: Invocation): string {
  const given = flags.inOrder.map(([name, value]) => ` --${name}=${SECRET.has(name) ? 'CLASSIFIED' : value}`);
  return [path, ...args].join(' ') + given.join('');
}

/** The object with the command line in an annotation if `--record` is set. Otherwise, the object is unchanged. */
export async function recorded(invocation: Invocation, object: ApiObject): Promise<ApiObject> {
  const annotations = await recordedAnnotations(invocation);
  if (annotations === undefined) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** The annotation that `--record` requests. Undefined if the flag is not set. */
export async function recordedAnnotations(
  invocation: Invocation,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { flags, session } = invocation;
  if (!flags.knows('record') || !flags.bool('record')) return undefined;
  return { [(await session.naming()).key('change-cause')]: causeOf(invocation) };
}

/**
 * Records the command in the annotation of an object that another request has already changed. If `--record` requests
 * it, this is a second request. Resolves to the object after that request.
 */
export async function recordAfterwards(
  invocation: Invocation,
  { type, object }: { readonly type: DiscoveredType; readonly object: ApiObject },
  manager: string,
  dryRun: DryRun,
): Promise<ApiObject> {
  const annotations = await recordedAnnotations(invocation);
  if (annotations === undefined) return object;
  const resource = (await invocation.session.client()).resource(type).in(object.metadata.namespace);
  const options = await writeOptions(invocation, manager, dryRun);
  return resource.patch(object.metadata.name!, 'merge', { metadata: { annotations } }, options);
}
