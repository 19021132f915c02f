import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { isExternal } from '#schema/conversion/core/service-parts.ts';
import type { ServiceSpec } from '#schema/generated/core.v1.ts';
import { givesNodePorts } from './parts.ts';
import type { ServiceNetworks } from './service-networks.ts';

/** The source of node ports. */
export interface NodePortSource {
  /** Allocates one port. Returns false if another service has the port, or if this request has already allocated it. */
  take(port: number): Promise<boolean>;
  /**
   * Allocates any free port.
   *
   * @throws StatusError if no port is free
   */
  next(): Promise<number>;
}

function at(i: number): FieldPath {
  return new FieldPath('spec.ports').index(i).child('nodePort');
}

function taken(i: number, port: number): FieldError {
  return invalidValue(at(i), port, 'provided port is already allocated');
}

/**
 * Gives node ports to the ports of a service. Ports with the same number and different protocols share a new one.
 * `held` are the ports that the service already has. Returns the refusal of the first port that is not available.
 */
export async function assignNodePorts(
  spec: ServiceSpec,
  held: ReadonlySet<number>,
  source: NodePortSource,
): Promise<FieldError | undefined> {
  if (!isExternal(spec)) return undefined;
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !shared.has(port)) shared.set(port, nodePort);
  const had = new Set<number>(held);
  for (const [i, port] of ports.entries()) {
    const known = shared.get(port.port);
    if (!port.nodePort) {
      if (!givesNodePorts(spec)) continue;
      if (known === undefined) {
        port.nodePort = await source.next();
        shared.set(port.port, port.nodePort);
        had.add(port.nodePort);
        continue;
      }
      port.nodePort = known;
    }
    if (had.has(port.nodePort)) continue;
    if (!(await source.take(port.nodePort))) return taken(i, port.nodePort);
    had.add(port.nodePort);
  }
  return undefined;
}

/**
 * Checks the node ports of a service without other services. Each port must be in the range. In a new service, only
 * ports with the same number may share a node port.
 */
export function checkNodePorts(
  spec: ServiceSpec,
  held: ReadonlySet<number> | undefined,
  networks: ServiceNetworks,
): FieldError | undefined {
  if (!isExternal(spec)) return undefined;
  const users = new Map<number, number>();
  for (const [i, { port, nodePort = 0 }] of (spec.ports ?? []).entries()) {
    if (nodePort === 0) continue;
    const user = users.get(nodePort);
    if (user === undefined) {
      users.set(nodePort, port);
      const problem = held?.has(nodePort) ? undefined : networks.nodePortProblem(nodePort);
      if (problem !== undefined) return invalidValue(at(i), nodePort, problem);
    } else if (held === undefined && user !== port) return taken(i, nodePort);
  }
  return undefined;
}
