import { StatusError } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Node } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { holds, parseRequirements } from '#schema/validation/requirements.ts';
import { timeText } from '../life/times.ts';
import { sumOf, type Usage, type UsedPod, usageOf } from './usage.ts';

/** The version of the usage API. Clients of an API server that forwards requests use it, as with metrics servers. */
export const METRICS_VERSION = 'v1beta1';

/** The period of measurement that usage reports. */
const WINDOW = '15s';

/** The objects with usage, and the naming for them. */
export interface Used {
  readonly naming: Naming;
  /** The nodes that are up, as registered. */
  readonly nodes: () => readonly Node[];
  readonly pods: () => readonly UsedPod[];
}

/** An answer: its status code, and the object. */
export interface MetricsAnswer {
  readonly code: number;
  readonly body: object;
}

/** Both collections, as discovery lists them. */
const RESOURCES = [
  { name: 'nodes', kind: 'NodeMetrics', namespaced: false },
  { name: 'pods', kind: 'PodMetrics', namespaced: true },
] as const;

/**
 * Answers requests for the group of metrics: its discovery documents, and the usage of nodes and pods. Undefined for
 * paths outside of the group.
 *
 * @example answerMetrics(used, '/apis/metrics.orch.io/v1beta1/namespaces/default/pods', query, Date.now())
 */
export function answerMetrics(
  used: Used,
  path: string,
  query: URLSearchParams,
  now: number,
): MetricsAnswer | undefined {
  const group = used.naming.group('metrics');
  const groupVersion = `${group}/${METRICS_VERSION}`;
  const versions = [{ groupVersion, version: METRICS_VERSION }];
  const described = { name: group, versions, preferredVersion: versions[0] };
  if (path === '/apis') return ok({ kind: 'APIGroupList', apiVersion: 'v1', groups: [described] });
  if (path === `/apis/${group}`) return ok({ kind: 'APIGroup', apiVersion: 'v1', ...described });
  const root = `/apis/${groupVersion}`;
  if (path === root) {
    const resources = RESOURCES.map((one) => ({ ...one, singularName: '', verbs: ['get', 'list'] }));
    return ok({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
  }
  if (!path.startsWith(`${root}/`)) return undefined;
  const parts = path.slice(root.length + 1).split('/');
  const namespace = parts[0] === 'namespaces' ? parts[1] : undefined;
  const [plural, name, ...more] = namespace === undefined ? parts : parts.slice(2);
  const resource = RESOURCES.find((one) => one.name === plural);
  const isWrong = resource === undefined || more.length > 0 || (namespace !== undefined && !resource.namespaced);
  if (isWrong || (resource.namespaced && namespace === undefined && name !== undefined))
    return failure(404, 'NotFound', 'the server could not find the requested resource');
  const all =
    plural === 'nodes'
      ? nodeMetrics(used, now)
      : podMetrics(used, now).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const typed = { kind: resource.kind, apiVersion: groupVersion };
  if (name !== undefined) {
    const found = all.find(({ metadata }) => metadata.name === name);
    if (found === undefined) return failure(404, 'NotFound', `${plural}.${group} "${name}" not found`);
    return ok({ ...typed, ...found });
  }
  try {
    const fits = selector(query);
    return ok({ kind: `${resource.kind}List`, apiVersion: groupVersion, metadata: {}, items: all.filter(fits) });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return failure(400, 'BadRequest', error.message);
  }
}

interface Measured {
  readonly metadata: ObjectMeta;
}

function podMetrics({ naming, pods }: Used, now: number): readonly Measured[] {
  return pods().flatMap((used) => {
    const usage = usageOf(used, naming);
    if (usage.length === 0) return [];
    const containers = usage.map((one) => ({ name: one.container, usage: amounts(one) }));
    return [{ ...measured(used.pod.metadata, now), containers }];
  });
}

function nodeMetrics({ naming, nodes, pods }: Used, now: number): readonly Measured[] {
  const byNode = new Map<string, UsedPod[]>();
  for (const used of pods()) {
    const name = used.pod.spec?.nodeName ?? '';
    byNode.set(name, [...(byNode.get(name) ?? []), used]);
  }
  return nodes().map(({ metadata }) => {
    const usage = (byNode.get(metadata.name ?? '') ?? []).flatMap((used) => usageOf(used, naming));
    return { ...measured(metadata, now), usage: amounts(sumOf(usage)) };
  });
}

function measured({ name, namespace, labels }: ObjectMeta, now: number) {
  const metadata = {
    ...{ name, creationTimestamp: timeText(now) },
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
  } as ObjectMeta;
  return { metadata, timestamp: timeText(now), window: WINDOW };
}

function amounts({ cores, bytes }: Omit<Usage, 'container'>): Readonly<Record<string, string>> {
  return { cpu: `${Math.round(cores * 1e9)}n`, memory: `${Math.round(bytes / 1024)}Ki` };
}

/** Whether an object matches the selectors of a list. @throws StatusError if a selector is malformed */
function selector(query: URLSearchParams): (one: Measured) => boolean {
  const labels = parseRequirements(query.get('labelSelector') ?? '');
  const fields = parseRequirements(query.get('fieldSelector') ?? '');
  return ({ metadata }) => {
    const { name = '', namespace = '' } = metadata;
    const known = { 'metadata.name': name, 'metadata.namespace': namespace };
    return labels.every((one) => holds(one, metadata.labels)) && fields.every((one) => holds(one, known));
  };
}

function ok(body: object): MetricsAnswer {
  return { code: 200, body };
}

function failure(code: number, reason: string, message: string): MetricsAnswer {
  return { code, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code } };
}
