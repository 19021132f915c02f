import type { Naming } from '#base/naming/naming.ts';
import { batchV1 } from '#client/generated/resources.ts';
import type { Container, Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { podOf } from '../pods/pod-writer.ts';
import type { JobFeatures } from './features.ts';
import type { JobState } from './job-state.ts';
import { judge } from './pod-failure-policy.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** The longest name of a pod before its random suffix. */
const LONGEST_PREFIX = 58;

/** A new pod of a job, which is kept until it is counted. */
export function newPod(state: JobState, index: number | undefined, features: JobFeatures, naming: Naming): Pod {
  const { job, words } = state;
  const template = job.spec?.template ?? {};
  const { finalizers: own = [] } = template.metadata ?? {};
  const finalizers = own.includes(words.finalizer) ? own : [...own, words.finalizer];
  if (index === undefined) return podOf(batchV1.jobs, job, template, naming, { finalizers });
  const value = String(index);
  const { labels, annotations } = template.metadata ?? {};
  return podOf(batchV1.jobs, job, withIndex(template, `${job.metadata.name}-${value}`, state, features), naming, {
    finalizers,
    generateName: prefixOf(job.metadata.name!, value),
    annotations: { ...annotations, [words.index]: value, ...failuresOf(state, index) },
    ...(features.indexLabel ? { labels: { ...labels, [words.index]: value } } : {}),
  });
}

/** A pod with an index has a host name with it, and its containers know it from a variable. */
function withIndex(
  template: PodTemplateSpec,
  hostname: string,
  { words }: JobState,
  { indexLabel }: JobFeatures,
): PodTemplateSpec {
  if (template.spec === undefined) return template;
  const fieldPath = `metadata.${indexLabel ? 'labels' : 'annotations'}['${words.index}']`;
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } };
  const told = (container: Container): Container => {
    const { env = [] } = container;
    return env.some(({ name }) => name === INDEX_VARIABLE) ? container : { ...container, env: [...env, variable] };
  };
  const { containers, initContainers } = template.spec;
  const spec = {
    ...template.spec,
    hostname,
    containers: (containers ?? []).map(told),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(told) }),
  };
  return { ...template, spec };
}

function prefixOf(name: string, index: string): string {
  const suffix = `-${index}-`;
  return `${name.slice(0, LONGEST_PREFIX - suffix.length)}${suffix}`;
}

/**
 * The annotations that a pod inherits from the previous pod of its index. They have the number of failures of the
 * index.
 */
function failuresOf({ job, indexed, words }: JobState, index: number): Record<string, string> {
  if (indexed?.failed === undefined) return {};
  const before = indexed.kept.get(index);
  if (before === undefined) return { [words.failures]: '0' };
  const { counted, ignored } = words.failuresBefore(before);
  const counts = judge(job.spec?.podFailurePolicy, before).counts;
  const ignoredNow = counts ? ignored : ignored + 1;
  return {
    [words.failures]: String(counts ? counted + 1 : counted),
    ...(ignoredNow > 0 ? { [words.ignoredFailures]: String(ignoredNow) } : {}),
  };
}
