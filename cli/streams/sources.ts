import type { Naming } from '#base/naming/naming.ts';
import type { TextOutput } from '#program/process/standard-output.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { CommandError } from '../framework/errors.ts';
import type { Flags } from '../framework/flag.ts';
import { containerNamed, containersOf, defaultContainer, defaultContainerName } from './containers.ts';

/** One log. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The logs of a pod that the flags select. @throws CommandError if the pod does not have a container */
export function sourcesOf(
  pod: Pod,
  container: string,
  { naming, flags, tell }: { readonly naming: Naming; readonly flags: Flags; readonly tell: TextOutput | undefined },
): LogSource[] {
  const { name = '', namespace = '' } = pod.metadata;
  const of = (one: string) => ({ namespace, pod: name, container: one });
  if (flags.bool('all-containers')) return containersOf(pod).map((one) => of(one.name));
  if (container !== '') {
    if (containerNamed(pod, container) === undefined)
      throw new CommandError(`container ${container} is not valid for pod ${name}`);
    return [of(container)];
  }
  const wanted = defaultContainerName(pod, naming);
  if (wanted !== '' && containerNamed(pod, wanted) === undefined)
    tell?.write(`Default container name ${JSON.stringify(wanted)} not found in pod ${name}\n`);
  return [of(defaultContainer(pod, naming, tell).name)];
}
