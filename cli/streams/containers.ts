import type { Naming } from '#base/naming/naming.ts';
import type { Container, Pod } from '#schema/generated/core.v1.ts';
import { CommandError } from '../framework/errors.ts';
import type { Io } from '../framework/io.ts';

/** The containers of a pod, including init and ephemeral containers. */
export function containersOf({ spec }: Pod): readonly Container[] {
  return [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...((spec?.ephemeralContainers ?? []) as unknown as Container[]),
  ];
}

export function containerNamed(pod: Pod, name: string): Container | undefined {
  return containersOf(pod).find((container) => container.name === name);
}

/**
 * The default container. It is the one in the pod's annotation, or the first. If there are several, a message names the
 * choice.
 * @throws CommandError if the pod has no containers
 */
export function defaultContainer(pod: Pod, naming: Naming, tell: Io['err'] | undefined): Container {
  const containers = pod.spec?.containers ?? [];
  if (containers.length === 0) {
    const { namespace = '', name = '' } = pod.metadata;
    throw new CommandError(`pod ${namespace}/${name} does not have any containers`);
  }
  const named = containerNamed(pod, defaultContainerName(pod, naming));
  if (named !== undefined) return named;
  const chosen = containers[0]!;
  const names = [
    ...containers.map(({ name }) => name),
    ...(pod.spec?.ephemeralContainers ?? []).map(({ name }) => `${name} (ephem)`),
    ...(pod.spec?.initContainers ?? []).map(({ name }) => `${name} (init)`),
  ];
  if (names.length > 1) tell?.write(`Defaulted container "${chosen.name}" out of: ${names.join(', ')}\n`);
  return chosen;
}

/** The container that the pod's annotation names. It is '' if there is no annotation. */
export function defaultContainerName({ metadata }: Pod, naming: Naming): string {
  return metadata.annotations?.[naming.key('ctl/default-container')] ?? '';
}
