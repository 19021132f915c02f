import { createHash } from 'node:crypto';
import type { EndpointPort } from '#schema/generated/discovery.v1.ts';

/**
 * Ports in the order in which the controllers write them to endpoints or slices. Both lists are sorted by a digest of a
 * text that names every field with its type. Other implementations use the same order, so a comparison of both lists
 * finds no change.
 */
export function inOrder<T extends EndpointPort>(ports: readonly T[], of: 'endpoints' | 'slices'): T[] {
  if (ports.length < 2) return [...ports];
  const keys = new Map(ports.map((port) => [port, digest(textOf[of](port))]));
  return [...ports].sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1));
}

const textOf = {
  endpoints: ({ name = '', port, protocol = 'TCP', appProtocol }: EndpointPort) =>
    `(v1.EndpointPort){Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} ` +
    `AppProtocol:(*string)${appProtocol ?? '<nil>'}}`,
  slices: ({ name = '', port, protocol = 'TCP', appProtocol }: EndpointPort) =>
    `(v1.EndpointPort){Name:(*string)${name} Protocol:(*v1.Protocol)${protocol} Port:(*int32)${port} ` +
    `AppProtocol:(*string)${appProtocol ?? '<nil>'}}`,
};

function digest(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
