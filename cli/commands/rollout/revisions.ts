import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Found } from '../../resources/found.ts';

/** A stored version of a pod template, with the replica set or controller revision that contains it. */
export interface Revision {
  /** The number of the revision, which has up to 64 bits. */
  readonly number: bigint;
  readonly holder: ApiObject;
  readonly cause: string;
}

/** The number in an annotation or a field. It is 0 if the value is not a number. */
export function revisionNumber(value: unknown): bigint {
  const text = String(value ?? '');
  return /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
}

/** The revisions of a deployment, daemon set or stateful set, oldest first. */
export async function revisionsOf(session: Session, { type, object }: Found): Promise<Revision[]> {
  const isDeployment = type.kind === 'Deployment';
  const holders = await session.typeNamed(isDeployment ? 'replicasets.apps' : 'controllerrevisions.apps');
  if (holders === undefined) throw new CommandError('the server keeps no revisions');
  const naming = await session.naming();
  const client = await session.client();
  const revisions: Revision[] = [];
  for await (const page of client.resource(holders).in(object.metadata.namespace).pages({ limit: 500 }))
    for (const item of page.items) {
      const owner = item.metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (owner?.uid !== object.metadata.uid) continue;
      const { annotations } = item.metadata;
      const text = isDeployment ? annotations?.[naming.key('deployment/revision')] : item['revision'];
      const holder = { apiVersion: `${holders.group}/${holders.version}`, kind: holders.kind, ...item };
      revisions.push({ number: revisionNumber(text), holder, cause: annotations?.[naming.key('change-cause')] ?? '' });
    }
  return revisions.filter(({ number }) => number > 0n).sort((a, b) => Number(a.number - b.number));
}

/** The pod template of a revision. */
export function templateIn({ holder }: Revision, kind: string): PodTemplateSpec {
  const { spec } = (kind === 'Deployment' ? holder : holder['data']) as unknown as {
    spec: { template: PodTemplateSpec & { $patch?: string } };
  };
  const { $patch: _, ...template } = spec.template;
  return { ...template, metadata: { creationTimestamp: null, ...template.metadata } } as PodTemplateSpec;
}

/** The object that shows a revision. It is the replica set, or the workload with the template of that revision. */
export function shownAs(revision: Revision, { type, object }: Found): ApiObject {
  if (type.kind === 'Deployment') return revision.holder;
  const spec = { ...(object['spec'] as object), template: templateIn(revision, type.kind) };
  return { ...object, spec } as ApiObject;
}
