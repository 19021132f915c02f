import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import type { Found } from '../../resources/found.ts';

/** The fields of a container that the commands set. */
export interface Container {
  readonly name: string;
  image?: string;
  env?: EnvVar[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: ValueFrom;
}

/** The source of the value of a variable. */
export interface ValueFrom {
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
  readonly fieldRef?: { readonly fieldPath: string };
  readonly resourceFieldRef?: { readonly containerName?: string; readonly resource: string };
}

export interface KeyRef {
  readonly name?: string;
  readonly key: string;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  serviceAccountName?: string;
  serviceAccount?: string;
}

export const containersFlag: Flag = {
  name: 'containers',
  short: 'c',
  type: 'string',
  default: '*',
  help: 'Names of the containers to change; * matches any characters',
};

/** The path to the specification of an object's pods. */
function podPath(kind: string): readonly string[] {
  if (kind === 'Pod') return ['spec'];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template', 'spec'] : ['spec', 'template', 'spec'];
}

/** The specification of an object's pods. @throws CommandError if there is none */
export function podSpecOf(object: ApiObject, { type }: Found): PodSpec {
  const pods = maybePodSpecOf(object, type.kind);
  if (pods === undefined)
    throw new CommandError(
      `${type.plural}/${object.metadata.name} the object is not a pod or does not have a pod template: *${type.version}.${type.kind}`,
    );
  return pods;
}

/** The specification of an object's pods. Undefined means that there is none. */
export function maybePodSpecOf(object: ApiObject, kind: string): PodSpec | undefined {
  let value: unknown = object;
  for (const part of podPath(kind)) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  return (value as PodSpec | undefined)?.containers === undefined ? undefined : (value as PodSpec);
}

/** The containers whose names match a pattern, and then the matching init containers. `*` matches any characters. */
export function chosenContainers(pods: PodSpec, pattern: string): Container[] {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const whole = new RegExp(`^${parts.join('.*')}$`);
  return [...pods.containers, ...(pods.initContainers ?? [])].filter(({ name }) => whole.test(name));
}
