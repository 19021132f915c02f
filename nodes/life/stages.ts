import { hasLabels } from '#client/label-selector.ts';
import type { podStages } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

/** A stage of a file, as an operator wrote it. */
export type Stage = ValueOfKind<typeof podStages>['stages'][number];

/** The stages of one pod by name. The value is the time at which the stage is due, or `over`. */
export type StageTimes = Map<string, number | 'over'>;

/** The stages of a pod that are due now. */
export interface Due {
  readonly stages: readonly Stage[];
  /** The time at which the next stage is due, in milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** A time of such a file in milliseconds. The schema has already checked its text. */
export function stageMs(text: string | null | undefined): number {
  const [, number = '0', unit = 'ms'] = /^([\d.]+)([a-z]+)$/.exec(text ?? '') ?? [];
  return Number(number) * (UNITS.get(unit) ?? 1);
}

/**
 * The stages that are due for a pod. The waiting time of a stage starts when the pod first matches it, and stops when
 * the pod no longer matches. A stage happens once for a pod. With `percent`, it happens only to that share of the pods.
 */
export function dueStages(
  stages: readonly Stage[],
  pod: Pod,
  times: StageTimes,
  now: number,
  random: () => number,
): Due {
  const due: Stage[] = [];
  let nextAt: number | undefined;
  for (const stage of stages) {
    const { name, delay, jitter, percent } = stage;
    const known = times.get(name);
    if (known === 'over') continue;
    if (!matches(stage, pod)) {
      times.delete(name);
      continue;
    }
    const at = known ?? now + stageMs(delay) + random() * stageMs(jitter);
    times.set(name, at);
    if (at > now) {
      nextAt = Math.min(nextAt ?? at, at);
      continue;
    }
    times.set(name, 'over');
    if (random() * 100 < (percent ?? 100)) due.push(stage);
  }
  return { stages: due, nextAt };
}

function matches({ match }: Stage, { metadata, spec, status }: Pod): boolean {
  const { namespaces, labels, annotations, owners, nodes, phases, ready } = match ?? {};
  const isReady = (status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
  const ownKinds = (metadata.ownerReferences ?? []).map(({ kind }) => kind);
  return (
    (metadata.deletionTimestamp ?? null) === null &&
    includes(namespaces, metadata.namespace) &&
    hasLabels(labels, metadata.labels) &&
    hasLabels(annotations, metadata.annotations) &&
    (!owners || ownKinds.some((kind) => owners.includes(kind))) &&
    includes(nodes, spec?.nodeName) &&
    includes(phases, status?.phase) &&
    (ready === undefined || ready === null || ready === isReady)
  );
}

function includes(some: readonly string[] | null | undefined, one: string | undefined): boolean {
  return !some || some.includes(one ?? '');
}
