import type { FieldPath } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import type { ContainerPort, PodSpec } from '#schema/generated/core.v1.ts';
import { visitContainers } from './visit-containers.ts';

/** The largest number of ports of a pod that are compared. Each is compared with all earlier ports. */
const MOST_PORTS = 100;

interface Placed {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/**
 * Warnings about ports that more than one container has, or that are open in a way that was probably not intended. The
 * warnings exist since 1.28, and those about names since 1.33. `path` leads to the spec.
 */
export function portWarnings(spec: PodSpec, path: FieldPath, release: Release): string[] {
  if (!release.atLeast(28)) return [];
  const ports = visitContainers(spec, path)
    .flatMap(({ container, path: at }) =>
      (container.ports ?? []).map((port, i) => ({ port, path: at.child('ports').index(i) })),
    )
    .slice(0, MOST_PORTS);
  return [...sharedPorts(ports), ...(release.atLeast(33) ? sharedNames(ports) : [])];
}

function sharedPorts(ports: readonly Placed[]): string[] {
  const known = new Map<string, Placed[]>();
  return ports.flatMap((one) => {
    const { port, path } = one;
    const key = `${port.containerPort ?? 0}/${port.protocol ?? ''}`;
    const others = known.get(key) ?? [];
    const warnings = [
      ...(addressOf(port) !== '' && hostPortOf(port) === 0
        ? [`${path}: hostIP set without hostPort: ${shown(port)}`]
        : []),
      ...others.flatMap((other) => {
        const relation = relationOf(port, other.port);
        return relation === undefined ? [] : [`${path}: ${relation} port definition with ${other.path}`];
      }),
    ];
    known.set(key, [...others, one]);
    return warnings;
  });
}

/** How a port collides with another port of the same number and protocol. */
function relationOf(one: ContainerPort, other: ContainerPort): string | undefined {
  const [ownPort, otherPort] = [hostPortOf(one), hostPortOf(other)];
  const [ownAddress, otherAddress] = [addressOf(one), addressOf(other)];
  if (ownAddress === otherAddress && ownPort === otherPort) return 'duplicate';
  if (ownPort === 0 || otherPort === 0) return 'overlapping';
  const ambiguous = ownPort === otherPort && (ownAddress === '') !== (otherAddress === '');
  return ambiguous ? 'dangerously ambiguous' : undefined;
}

function sharedNames(ports: readonly Placed[]): string[] {
  const first = new Map<string, FieldPath>();
  return ports.flatMap(({ port: { name = '' }, path }) => {
    if (name === '') return [];
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, path);
      return [];
    }
    const effect = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${effect}`];
  });
}

function hostPortOf({ hostPort }: ContainerPort): number {
  return hostPort ?? 0;
}

function addressOf({ hostIP }: ContainerPort): string {
  return hostIP ?? '';
}

/** A port in the form that clients know from these warnings. */
function shown(port: ContainerPort): string {
  const { name = '', containerPort = 0, protocol = '' } = port;
  return `{Name:${name} HostPort:${hostPortOf(port)} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${addressOf(port)}}`;
}
