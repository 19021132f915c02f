import type { Container, EphemeralContainer, PodSpec } from '#schema/generated/core.v1.ts';

/** The parts of a pod or pod template that the controls check. */
export interface PodToEvaluate {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

/** The reason why a control refuses a pod. `detail` names the field to change. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: PodToEvaluate) => Violation | undefined;

/** One control of a level, in its form since some release (the minor number). A later form replaces an earlier one. */
export interface Control {
  readonly id: string;
  readonly forms: readonly { readonly since: number; readonly check: Check }[];
  /** The name of the baseline control that this stricter control replaces. */
  readonly replaces?: string;
}

type AnyContainer = Container | EphemeralContainer;

/** Names of the containers in the message, in the order of the checks. */
export function containersThat({ spec }: PodToEvaluate, test: (container: AnyContainer) => boolean): string[] {
  return allContainers(spec)
    .filter(test)
    .map((container) => container.name);
}

export function allContainers(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** A noun with names: `container "a"` or `containers "a", "b"`. */
export function counted(noun: string, names: readonly string[]): string {
  return `${plural(noun, names)} ${quoted(names)}`;
}

export function plural(noun: string, names: readonly unknown[]): string {
  return names.length === 1 ? noun : `${noun}s`;
}

/** The places that set a field, for messages: the pod, its containers, or both. '' if there are none. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [counted('container', containers)] : [])].join(' and ');
}

export function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

/** A control that does not apply to pods for Windows. */
export function exceptWindows(check: Check): Check {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}
