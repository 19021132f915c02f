import type { PodSpec } from '../../generated/core.v1.ts';
import { totalOfContainers } from '../../validation/container-totals.ts';
import { writeUsage } from '../../values/usage.ts';

const isHugePages = (name: string) => name.startsWith('hugepages-');

/** Whether a pod as a whole may request a resource. */
export function isOfPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/**
 * Completes the pod-level resources if the pod sets some of them. Limits of huge pages and requests default to the sums
 * of the containers. Other requests default to the limits.
 */
export function defaultPodResources(spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return;
  for (const [name, amount] of Object.entries(writeUsage(totalOfContainers(spec, 'limits'))))
    if (isHugePages(name) && requests[name] === undefined) limits[name] ??= amount;
  if (Object.keys(limits).length === 0) return;
  resources.limits = limits;
  for (const [name, amount] of Object.entries(writeUsage(totalOfContainers(spec, 'requests'))))
    if (isOfPods(name) && !isHugePages(name)) requests[name] ??= amount;
  for (const [name, amount] of Object.entries(limits)) if (isOfPods(name)) requests[name] ??= amount;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
