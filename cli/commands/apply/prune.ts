import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { apiVersionIn } from '../../resources/found.ts';
import type { DryRun } from '../../write/dry-run.ts';
import { lastApplied } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import type { Applied } from './apply.ts';

/**
 * The types to examine if the user names none. Each is a group (in its short form) and a kind. Types without namespaces
 * come last.
 */
const DEFAULT_TYPES: readonly (readonly [group: string, version: string, kind: string])[] = [
  ...['ConfigMap', 'Endpoints', 'PersistentVolumeClaim', 'Pod', 'ReplicationController', 'Secret', 'Service'].map(
    (kind) => ['', 'v1', kind] as const,
  ),
  ...['Job', 'CronJob'].map((kind) => ['batch', 'v1', kind] as const),
  ['networking', 'v1', 'Ingress'],
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ['apps', 'v1', kind] as const),
  ...['Namespace', 'PersistentVolume'].map((kind) => ['', 'v1', kind] as const),
];

/** The applied objects by uid, and their namespaces. */
export interface Visited {
  readonly uids: ReadonlySet<string | undefined>;
  readonly namespaces: ReadonlySet<string>;
}

/** An object that no file contains any more. */
export interface Left {
  readonly type: DiscoveredType;
  readonly object: ApiObject;
}

/**
 * Finds objects to prune. They have the annotation of an earlier apply and the labels, are in a namespace of a file or
 * of `-n`, and are in no file now.
 * @throws CommandError for a type that the server does not have
 */
export async function* leftOver(invocation: Invocation, visited: Visited): AsyncGenerator<Left, void, void> {
  const { flags, session } = invocation;
  const client = await session.client();
  const annotation = lastApplied(session);
  const labelSelector = flags.text('selector');
  const types = await typesOf(invocation);
  // The namespace of `-n` is searched even if no object of the files is in it.
  const namespaces = new Set(visited.namespaces);
  if (session.settings.namespaceGiven) namespaces.add(session.namespace);
  const places = [
    ...[...namespaces].flatMap((namespace) =>
      types.filter(({ namespaced }) => namespaced).map((type) => ({ type, namespace })),
    ),
    ...types.filter(({ namespaced }) => !namespaced).map((type) => ({ type, namespace: undefined })),
  ];
  for (const { type, namespace } of places) {
    try {
      for await (const page of client.resource(type).in(namespace).pages({ labelSelector, limit: 500 }))
        for (const item of page.items) {
          const object = { apiVersion: apiVersionIn(type), kind: type.kind, ...item } as ApiObject;
          if (!visited.uids.has(object.metadata.uid) && (await annotation.of(object)) !== undefined)
            yield { type, object };
        }
    } catch (error) {
      session.io.signal.throwIfAborted();
      const what = `${type.namespaced ? 'namespaced' : 'nonNamespaced'} object ${type.group}/${type.version}, Kind=${type.kind}`;
      throw new CommandError(`error pruning ${what}: ${(error as Error).message}`);
    }
  }
}

/** Deletes objects of earlier applies that the present apply does not contain. @throws CommandError */
export async function prune(invocation: Invocation, applied: readonly Applied[], dryRun: DryRun): Promise<void> {
  const { flags, session } = invocation;
  const client = await session.client();
  const visited = {
    uids: new Set(applied.map(({ object }) => object.metadata.uid)),
    namespaces: new Set(applied.flatMap(({ target }) => target.namespace ?? [])),
  };
  const cascade = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
  const propagationPolicy = cascade[flags.text('cascade') as keyof typeof cascade] ?? 'Background';
  const seconds = flags.int('grace-period');
  const gracePeriodSeconds = seconds < 0 ? undefined : seconds;
  const report = await reporter(invocation, dryRun);
  for await (const { type, object } of leftOver(invocation, visited)) {
    const { uid, name, namespace } = object.metadata;
    const how = { preconditions: { uid }, propagationPolicy, gracePeriodSeconds, dryRun: dryRun === 'server' };
    if (dryRun !== 'client') await client.resource(type).in(namespace).delete(name!, how);
    report(object, type, 'pruned');
  }
}

/** @throws CommandError if the server does not have a type */
export async function typesOf({ flags, session }: Invocation): Promise<DiscoveredType[]> {
  const naming = await session.naming();
  const named = flags.list('prune-allowlist').map((text) => {
    const [group, version, kind, ...more] = text.split('/');
    if (group === undefined || version === undefined || kind === undefined || more.length > 0)
      throw new CommandError(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
    return [group === 'core' ? '' : group, version, kind] as const;
  });
  const defaults = DEFAULT_TYPES.map(([group, ...rest]) => [group === '' ? '' : naming.group(group), ...rest] as const);
  const discovered = await session.discovered();
  const types: DiscoveredType[] = [];
  for (const [group, version, kind] of named.length === 0 ? defaults : named) {
    const apiVersion = apiVersionIn({ group, version });
    const type = discovered.ofKind(apiVersion, kind);
    if (type !== undefined) types.push(type);
    else if (named.length > 0)
      throw new CommandError(`no matches for kind "${kind}" in version "${apiVersion}"`, {
        hint: 'Use "orchctl api-resources" for a list of all types.',
      });
  }
  return types;
}

/** The flag `--prune-allowlist`. */
export const allowlistFlag: Flag = {
  name: 'prune-allowlist',
  type: 'texts',
  help: 'Types of objects that --prune may delete: group/version/kind; may be repeated',
};
