import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Client } from '#client/client.ts';
import { isAlreadyExists, isNotFound } from '#client/errors.ts';
import { appsV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ControllerRevision } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { controllerReference } from './owners.ts';
import { hashOf, sortedMembers } from './template-hash.ts';

/** The longest name of a revision before its hash. */
const LONGEST_PREFIX = 223;

/** An object whose states are saved as revisions: a stateful set or a daemon set. */
export interface Revised<T extends ApiObject> {
  readonly type: ResourceType<T>;
  readonly owner: T;
  readonly template: PodTemplateSpec;
  /** The label of a revision that holds its hash. */
  readonly hashLabel: string;
  /** How often other data already had the name. */
  readonly collisions: number;
  readonly naming: Naming;
  /** A client that remembers its writes; see `Expectations`. */
  readonly client: Client;
}

/** The revision of the present template. */
export interface Present {
  readonly revision: ControllerRevision;
  /** How often other data already had a name up to now. */
  readonly collisions: number;
}

/**
 * A patch that gives an object the template of a revision, in the form that `rollout undo` sends. It has the same bytes
 * as that of the field's controllers, because clients compare texts.
 */
function revisionData(template: PodTemplateSpec): NonNullable<ControllerRevision['data']> {
  const metadata = { ...template.metadata, creationTimestamp: null };
  return sortedMembers({ spec: { template: { ...template, metadata, $patch: 'replace' } } }) as never;
}

/** Whether two revisions hold the same template. Later releases of the field leave out a time without a value. */
function sameData(a: ControllerRevision['data'], b: ControllerRevision['data']): boolean {
  return jsonEqual(withoutTime(a), withoutTime(b));
}

function withoutTime(data: ControllerRevision['data']): unknown {
  const { spec, ...rest } = (data ?? {}) as { spec?: { template?: PodTemplateSpec } };
  if (spec?.template === undefined) return data;
  const { metadata, ...template } = spec.template;
  const { creationTimestamp: _, ...others } = metadata ?? {};
  return { ...rest, spec: { ...spec, template: { ...template, metadata: others } } };
}

/** Revisions from the oldest to the newest. */
export function byRevision(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const time = ({ metadata }: ControllerRevision) => metadata.creationTimestamp ?? '';
  return [...revisions].sort((a, b) => {
    if (a.revision !== b.revision) return a.revision - b.revision;
    if (time(a) !== time(b)) return time(a) < time(b) ? -1 : 1;
    return a.metadata.name! < b.metadata.name! ? -1 : 1;
  });
}

/**
 * Finds the revision of an object's template. An earlier revision becomes the newest. A missing revision is created.
 */
export async function presentRevision<T extends ApiObject>(
  revised: Revised<T>,
  revisions: readonly ControllerRevision[],
): Promise<Present> {
  const { owner, template, client } = revised;
  const data = revisionData(template);
  const sorted = byRevision(revisions);
  const next = (sorted.at(-1)?.revision ?? 0) + 1;
  const same = sorted.findLast((revision) => sameData(revision.data, data));
  if (same === undefined) return createRevision(revised, data, next);
  if (same.revision === next - 1) return { revision: same, collisions: revised.collisions };
  const live = client.resource(appsV1.controllerrevisions).in(owner.metadata.namespace);
  const { name = '', uid, resourceVersion } = same.metadata;
  const revision = await live.patch(name, 'merge', { metadata: { uid, resourceVersion }, revision: next } as never);
  return { revision, collisions: revised.collisions };
}

async function createRevision<T extends ApiObject>(
  revised: Revised<T>,
  data: NonNullable<ControllerRevision['data']>,
  revision: number,
): Promise<Present> {
  const { type, owner, template, hashLabel, naming, client } = revised;
  const { namespace, name = '', annotations } = owner.metadata;
  const live = client.resource(appsV1.controllerrevisions).in(namespace);
  for (let { collisions } = revised; ; collisions++) {
    const hash = hashOf(data, collisions);
    const metadata: ObjectMeta = {
      name: `${name.slice(0, LONGEST_PREFIX)}-${hash}`,
      namespace: namespace!,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(type, owner, naming)],
    };
    try {
      return { revision: await live.create({ metadata, data, revision }), collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await live.get(metadata.name!);
      const mine = there.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid);
      if (mine && sameData(there.data, data)) return { revision: there, collisions };
    }
  }
}

/** Earlier revisions beyond the limit, the oldest ones first. Revisions in use are kept and do not count. */
export function superfluous(
  revisions: readonly ControllerRevision[],
  inUse: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const former = byRevision(revisions).filter((revision) => !inUse(revision));
  return former.slice(0, Math.max(0, former.length - limit));
}

/** Deletes revisions in the version of their copy. */
export async function deleteRevisions(client: Client, revisions: readonly ControllerRevision[]): Promise<void> {
  for (const { metadata } of revisions) {
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const live = client.resource(appsV1.controllerrevisions).in(namespace);
    await live.delete(name, { preconditions: { uid, resourceVersion } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
