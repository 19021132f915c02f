import type { PodSpec } from '#schema/generated/core.v1.ts';

/** Names and images of the containers of a pod or template. Each list is joined by commas. */
export function containerCells(spec: PodSpec | null | undefined): [names: string, images: string] {
  const containers = spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** Labels in a table: `app=web,tier=front`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>> | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}
