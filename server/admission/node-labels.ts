import { own } from '#base/collections/own-properties.ts';
import type { Naming } from '#base/naming/naming.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** Labels under the product's domains that nodes set on themselves. */
const OWN = [
  'hostname',
  'topology/zone',
  'topology/region',
  'failure-domain.beta/zone',
  'failure-domain.beta/region',
  'beta/instance-type',
  'node/instance-type',
  'os',
  'arch',
  'beta/os',
  'beta/arch',
];

/** Keys of labels that only one of the two sets has, or whose values differ. */
export function changedLabels(labels: Labels, old: Labels): string[] {
  const keys = new Set([...Object.keys(labels ?? {}), ...Object.keys(old ?? {})]);
  return [...keys].filter((key) => own(labels, key) !== own(old, key));
}

/**
 * Finds labels that a node must not set on itself: restricted labels, and labels with the product's domain that the
 * product does not define.
 */
export function forbiddenNodeLabels(naming: Naming): (keys: readonly string[]) => string[] {
  const own = new Set(OWN.map((name) => naming.key(name)));
  const under = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);
  const restricted = naming.domain('node-restriction');
  const free = [naming.domain('kubelet'), naming.domain('node')];
  const isForbidden = (key: string): boolean => {
    const slash = key.indexOf('/');
    if (slash < 0) return false;
    const domain = key.slice(0, slash);
    if (under(domain, restricted)) return true;
    const ofProduct = naming.domains.some((known) => under(domain, known));
    return ofProduct && !own.has(key) && !free.some((known) => under(domain, known));
  };
  return (keys) => keys.filter(isForbidden).sort();
}
