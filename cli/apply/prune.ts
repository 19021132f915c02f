import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { nameOf } from '../output/printer.ts';
import { type DryRun, dryRunSuffix } from '../write/dry-run.ts';
import { lastApplied } from '../write/last-applied.ts';
import type { Applied } from './apply.ts';

/** Types that are looked at where none are named, by group (in its short form) and kind. */
const DEFAULT_TYPES: readonly (readonly [group: string, version: string, kind: string])[] = [
  ...['ConfigMap', 'Endpoints', 'Namespace', 'PersistentVolumeClaim', 'PersistentVolume', 'Pod'].map(
    (kind) => ['', 'v1', kind] as const,
  ),
  ...['ReplicationController', 'Secret', 'Service'].map((kind) => ['', 'v1', kind] as const),
  ...['Job', 'CronJob'].map((kind) => ['batch', 'v1', kind] as const),
  ['networking', 'v1', 'Ingress'],
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ['apps', 'v1', kind] as const),
];

/**
 * Deletes what was applied before (it has the annotation), carries the labels, lies where something was applied now, and
 * was not itself. @throws CommandError
 */
export async function prune(
  invocation: Invocation,
  applied: readonly Applied[],
  dryRun: DryRun,
  onError: (error: unknown) => void,
): Promise<void> {
  const { flags, session, io } = invocation;
  const client = await session.client();
  const kept = new Set(applied.map(({ object }) => object.metadata.uid));
  const namespaces = new Set(applied.flatMap(({ target }) => target.namespace ?? []));
  const annotation = lastApplied(session);
  const labelSelector = flags.text('selector');
  const cascade = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
  const propagationPolicy = cascade[flags.text('cascade') as keyof typeof cascade] ?? 'Background';
  for (const type of await typesOf(invocation)) {
    for (const namespace of type.namespaced ? namespaces : [undefined]) {
      try {
        const resource = client.resource(type).in(namespace);
        for await (const page of resource.pages({ labelSelector, limit: 500 }))
          for (const object of page.items) {
            const { uid, name, deletionTimestamp } = object.metadata;
            if (kept.has(uid) || deletionTimestamp !== undefined || (await annotation.of(object)) === undefined)
              continue;
            if (dryRun !== 'client')
              await resource.delete(name!, { preconditions: { uid }, propagationPolicy, dryRun: dryRun === 'server' });
            io.out.write(`${nameOf(object, type)} pruned${dryRunSuffix[dryRun]}\n`);
          }
      } catch (error) {
        io.signal.throwIfAborted();
        onError(error);
      }
    }
  }
}

async function typesOf({ flags, session }: Invocation): Promise<DiscoveredType[]> {
  const naming = await session.naming();
  const named = flags.list('prune-allowlist').map((text) => {
    const [group, version, kind, ...more] = text.split('/');
    if (!group || !version || !kind || more.length > 0)
      throw new CommandError(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
    return [group === 'core' ? '' : group, version, kind] as const;
  });
  const defaults = DEFAULT_TYPES.map(([group, ...rest]) => [group === '' ? '' : naming.group(group), ...rest] as const);
  const discovered = await session.discovered();
  return (named.length === 0 ? defaults : named).flatMap(
    ([group, version, kind]) => discovered.ofKind(group === '' ? version : `${group}/${version}`, kind) ?? [],
  );
}
