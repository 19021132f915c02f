import type { Scope, Seen } from './checker/history.ts';

/** One collection that the run uses. */
export interface Collection {
  readonly resource: string;
  readonly namespace: string;
  /** The members that objects need in addition to their metadata. */
  readonly body: (namespace: string, name: string) => object;
  /** Whether objects expire. Clients then only create them. */
  readonly expires?: boolean;
}

export const colors = ['red', 'green', 'blue'] as const;

export const namespaces = ['chaos-a', 'chaos-b'] as const;

export const collections: readonly Collection[] = [
  ...namespaces.map((namespace) => ({ resource: 'configmaps', namespace, body: () => ({ data: { kept: 'yes' } }) })),
  { resource: 'secrets', namespace: 'chaos-a', body: () => ({ stringData: { kept: 'yes' } }) },
  {
    resource: 'events',
    namespace: 'chaos-a',
    expires: true,
    body: (namespace, name) => ({
      involvedObject: { kind: 'ConfigMap', namespace, name },
      reason: 'Tried',
      message: 'chaos',
      type: 'Normal',
    }),
  },
];

const prefixes = collections.map(prefixOf);

/** The prefix of a collection's keys in etcd, below the store's prefix and the group. */
export function prefixOf({ resource, namespace }: Collection): string {
  return `${resource}/${namespace}/`;
}

/** The name in the history for a key in etcd below its prefix. Undefined for keys that the run does not use. */
export function keyOf(stored: string): string | undefined {
  const key = stored.startsWith('core/') ? stored.slice('core/'.length) : undefined;
  return key !== undefined && prefixes.some((prefix) => key.startsWith(prefix)) ? key : undefined;
}

export function pathOf({ resource, namespace }: Collection, name = ''): string {
  return `/api/v1/namespaces/${namespace}/${resource}${name && `/${name}`}`;
}

/** The path and the selector of a scope. */
export function scopePath({ prefix, color }: Scope): string {
  const [resource, namespace] = prefix.split('/');
  return `/api/v1/namespaces/${namespace}/${resource}?${color === undefined ? '' : `labelSelector=color%3D${color}&`}`;
}

/** An object, in the form of the history. */
export function seenOf(resource: string, object: ApiLike): Seen {
  const { namespace, name, resourceVersion, labels } = object.metadata;
  return { key: `${resource}/${namespace}/${name}`, revision: Number(resourceVersion), id: labels?.['id'] ?? '' };
}

/** The members of an object that the run reads. */
export interface ApiLike {
  readonly metadata: {
    readonly namespace?: string;
    readonly name?: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}
