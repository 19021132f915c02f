import { own } from '#base/collections/own-properties.ts';
import type { Container, LimitRange, PersistentVolumeClaim, PodSpec } from '#schema/generated/core.v1.ts';
import { limitViolations } from '../limit-violations.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { type PodWithSpec, podOf } from '../pod-of.ts';
import { aggregate, refusal } from '../refusal.ts';

type Amounts = Record<string, string>;

/**
 * The largest number of amounts that one pod gets. A range may name tens of thousands, and each container needs all of
 * them.
 */
const MOST_DEFAULTS = 10_000;

/** Sets the amounts that a container does not name. Returns their names. */
function fill(container: Container, field: 'requests' | 'limits', amounts: Amounts): string[] {
  const given = container.resources?.[field];
  const missing = Object.keys(amounts).filter((name) => own(given, name) === undefined);
  if (missing.length === 0) return missing;
  container.resources = { ...container.resources, [field]: { ...given, ...pick(amounts, missing) } };
  return missing.sort();
}

function pick(amounts: Amounts, names: readonly string[]): Amounts {
  return Object.fromEntries(names.map((name) => [name, amounts[name]!]));
}

/**
 * Sets the defaults of one limit range in containers, and records this in an annotation. Returns whether all containers
 * have them. If a pod would need too many defaults, it gets only some.
 */
function applyDefaults(pod: PodWithSpec, range: LimitRange, annotation: string): boolean {
  const requests: Amounts = {};
  const limits: Amounts = {};
  for (const limit of range.spec?.limits ?? []) {
    if (limit.type !== 'Container') continue;
    Object.assign(requests, limit.defaultRequest);
    Object.assign(limits, limit.default);
  }
  const notes: string[] = [];
  let given = 0;
  const note = (names: readonly string[], what: string, kind: string, { name }: Container): void => {
    given += names.length;
    if (names.length > 0) notes.push(`${names.join(', ')} ${what} for ${kind} ${name}`);
  };
  const lists = [
    ['container', pod.spec.containers],
    ['init container', pod.spec.initContainers],
  ] as const;
  for (const [kind, containers] of lists) {
    for (const container of containers ?? []) {
      if (given > MOST_DEFAULTS) return false;
      note(fill(container, 'requests', requests), 'request', kind, container);
      note(fill(container, 'limits', limits), 'limit', kind, container);
    }
  }
  if (notes.length === 0) return true;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
  return true;
}

/** Keeps pods and volume claims within the limit ranges of their namespace, and sets the defaults of containers. */
export function limitRanger({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const annotation = naming.key('limit-ranger');
  const ranges = (namespace: string) => cluster.list<LimitRange>('', 'limitranges', `${namespace}/`);
  return {
    name: 'LimitRanger',
    // The containers of a pod do not change later.
    handles: ({ operation, group, resource, subresource }) =>
      group === '' &&
      subresource === '' &&
      ((resource === 'pods' && operation === 'CREATE') ||
        (resource === 'persistentvolumeclaims' && (operation === 'CREATE' || operation === 'UPDATE'))),
    mutate(request) {
      if (request.served.type.plural !== 'pods') return;
      for (const range of ranges(request.namespace))
        if (!applyDefaults(podOf(request), range, annotation))
          throw refusal(
            request,
            `the pod needs more than ${MOST_DEFAULTS} defaults of the limit range ${range.metadata.name}`,
          );
    },
    validate(request) {
      const { served, object, oldObject, namespace } = request;
      if ((oldObject?.metadata.deletionTimestamp ?? null) !== null) return;
      const spec = object!['spec'] as PodSpec | NonNullable<PersistentVolumeClaim['spec']> | undefined;
      for (const range of ranges(namespace)) {
        const violations =
          served.type.plural === 'pods'
            ? limitViolations.ofPod((spec ?? { containers: [] }) as PodSpec, range)
            : limitViolations.ofClaim((spec ?? {}) as NonNullable<PersistentVolumeClaim['spec']>, range);
        if (violations.length > 0) throw refusal(request, aggregate(violations));
      }
    },
  };
}
