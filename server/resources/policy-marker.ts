import type { Write } from '#storage/object-store.ts';

/**
 * The resource of the mark that each write of an admission policy or binding leaves in its own transaction. Other
 * writes compare the revision of the mark. So they also notice a deleted policy.
 */
export const POLICY_MARKER = { group: 'claims', plural: 'policies' } as const;
/** The only key of the mark, relative to its resource. */
export const POLICY_MARK = 'last';

const VALUE = Buffer.from(JSON.stringify({ kind: 'Mark', apiVersion: 'v1', metadata: { name: POLICY_MARK } }));

/** The absolute key of the mark. */
export function policyMarkKey(etcdPrefix: string): string {
  return `${etcdPrefix}/${POLICY_MARKER.group}/${POLICY_MARKER.plural}/${POLICY_MARK}`;
}

/** The write that sets a new mark. */
export function markPolicies(etcdPrefix: string): Write {
  return { key: policyMarkKey(etcdPrefix), value: VALUE };
}
