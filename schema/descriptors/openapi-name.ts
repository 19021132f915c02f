import type { Naming } from '#base/naming/naming.ts';
import type { MessageType } from './types.ts';

/** Packages of published names that belong to a component. Their first part is the name of the component. */
const components: ReadonlySet<string> = new Set(['aggregator']);

/** The name of a message in published documents: the reversed domain of groups, then the name of the message. */
export function openapiName(type: MessageType, naming: Pick<Naming, 'group' | 'prefixed'>): string {
  const [first = '', ...rest] = type.openapiName.split('.');
  const domain = naming.group('meta').split('.').slice(1).reverse();
  return [...domain, components.has(first) ? naming.prefixed(first) : first, ...rest].join('.');
}
