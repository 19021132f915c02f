import type { Write } from '#storage/object-store.ts';

/**
 * Where writes of policies of admission and their bindings leave a mark, each in its own transaction. What a write was
 * checked by is compared by the revision of the mark: it also changes when a policy is removed.
 */
export const POLICY_MARKER = { group: 'claims', plural: 'policies' } as const;
/** The one key of the mark, relative to its resource. */
export const POLICY_MARK = 'last';

const VALUE = Buffer.from(JSON.stringify({ kind: 'Mark', apiVersion: 'v1', metadata: { name: POLICY_MARK } }));

/** The absolute key of the mark. */
export function policyMarkKey(etcdPrefix: string): string {
  return `${etcdPrefix}/${POLICY_MARKER.group}/${POLICY_MARKER.plural}/${POLICY_MARK}`;
}

/** The write that leaves a new mark. */
export function markPolicies(etcdPrefix: string): Write {
  return { key: policyMarkKey(etcdPrefix), value: VALUE };
}
