import type { Invocation } from '../command-line/command.ts';

/** The largest number of names that are proposed. */
const MOST_NAMES = 500;

/** Proposes texts for the pod in an argument. They are names of pods, or `deploy/` with names of that type. */
export async function completePods({ session, args, beforeDash }: Invocation): Promise<readonly string[]> {
  if (args.length > 1 || beforeDash !== undefined) return [];
  const word = args[0] ?? '';
  const slash = word.indexOf('/');
  const type = await session.typeNamed(slash < 0 ? 'pods' : word.slice(0, slash));
  if (type === undefined) return [];
  const resource = (await session.client()).resource(type).in(type.namespaced ? session.namespace : undefined);
  const { items } = await resource.metadataOnly().list({ limit: MOST_NAMES });
  return items.map(({ metadata }) => word.slice(0, slash + 1) + (metadata.name ?? ''));
}
