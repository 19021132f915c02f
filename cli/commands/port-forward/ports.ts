import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError } from '../../framework/errors.ts';

/** A local port and a port of a pod. The local port 0 means any free port. */
export interface PortPair {
  readonly local: number;
  readonly remote: number;
}

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort?: number | string }[];
}

/**
 * Parses `LOCAL:REMOTE`, `:REMOTE` or `PORT`. The result has the number of the pod's port.
 * @throws CommandError if the text is malformed
 */
export function numbered(text: string, pod: Pod, service: ApiObject | undefined): readonly [string, string] {
  const parts = text.split(':');
  const [local, remote] = parts.length === 2 ? (parts as [string, string]) : [parts[0]!, parts[0]!];
  const number = service === undefined ? podPort(pod, remote) : servicePort(service, pod, remote);
  // A name means the number of the port on both sides.
  return [local === remote && !/^\d+$/.test(local) ? String(number) : local, String(number)];
}

function podPort(pod: Pod, text: string): number | string {
  if (/^\d+$/.test(text)) return text;
  const found = namedPort(pod, text);
  if (found === undefined) throw new CommandError(`Pod '${pod.metadata.name}' does not have a named port '${text}'`);
  return found;
}

function namedPort({ spec }: Pod, name: string): number | undefined {
  const ports = (spec?.containers ?? []).flatMap(({ ports: own }) => own ?? []);
  return ports.find((port) => port.name !== undefined && port.name === name)?.containerPort;
}

function servicePort({ metadata, spec }: ApiObject, pod: Pod, text: string): number | string {
  const { clusterIP, ports = [] } = (spec ?? {}) as ServiceSpec;
  const isNumber = /^\d+$/.test(text);
  const port = ports.find((one) => (isNumber ? one.port === Number(text) : one.name === text));
  if (port === undefined)
    throw new CommandError(
      isNumber
        ? `Service ${metadata.name} does not have a service port ${text}`
        : `Service '${metadata.name}' does not have a named port '${text}'`,
    );
  if (clusterIP === 'None') return port.port;
  const { targetPort = port.port } = port;
  if (typeof targetPort === 'number') return targetPort === 0 ? port.port : targetPort;
  return podPort(pod, targetPort);
}

/** @throws CommandError if a text is not a port */
export function portPairs(pairs: readonly (readonly [string, string])[]): PortPair[] {
  return pairs.map(([local, remote]) => {
    const pair = { local: local === '' ? 0 : port(local, 'local'), remote: port(remote, 'remote') };
    if (pair.remote === 0) throw new CommandError('remote port must be > 0');
    return pair;
  });
}

function port(text: string, which: string): number {
  const quoted = JSON.stringify(text);
  const lead = `error parsing ${which} port '${text}': strconv.ParseUint: parsing ${quoted}`;
  if (!/^\d+$/.test(text)) throw new CommandError(`${lead}: invalid syntax`);
  if (Number(text) > 65_535) throw new CommandError(`${lead}: value out of range`);
  return Number(text);
}
