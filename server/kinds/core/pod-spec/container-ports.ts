import { append } from '#base/collections/append.ts';
import { duplicate, type FieldError, type FieldPath, required } from '#base/errors/field-error.ts';
import type { ContainerPort } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { validatePortName, validateProtocol } from '#schema/validation/ports.ts';

const LIMITS = bounds['core.v1.ContainerPort'];

/** Validates the ports of one container. Their names must differ. */
export function validateContainerPorts(
  ports: readonly ContainerPort[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  return (ports ?? []).flatMap(({ name, containerPort, hostPort, protocol }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (name) {
      const problems = validatePortName(name, at.child('name'));
      if (problems.length === 0 && names.has(name)) problems.push(duplicate(at.child('name'), name));
      names.add(name);
      append(errors, problems);
    }
    if (!containerPort) errors.push(required(at.child('containerPort')));
    else append(errors, validateBound(containerPort, LIMITS.containerPort, at.child('containerPort')));
    if (hostPort) append(errors, validateBound(hostPort, LIMITS.hostPort, at.child('hostPort')));
    return [...errors, ...validateProtocol(protocol, at.child('protocol'))];
  });
}

/** Validates ports of the host. Containers that run at the same time cannot share them. `path` leads to the list. */
export function validateHostPorts(
  containers: readonly { ports?: readonly ContainerPort[] | null }[],
  path: FieldPath,
): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports }, i) =>
    (ports ?? []).flatMap(({ hostPort, hostIP, protocol }, j) => {
      if (!hostPort) return [];
      const key = `${protocol ?? ''}/${hostIP ?? ''}/${hostPort}`;
      if (taken.has(key)) return [duplicate(path.index(i).child('ports').index(j).child('hostPort'), key)];
      taken.add(key);
      return [];
    }),
  );
}
