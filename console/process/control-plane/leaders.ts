import type { Client } from '#client/client.ts';
import { isForbidden } from '#client/errors.ts';
import { coordinationV1 } from '#client/generated/resources.ts';
import type { Leader } from '../../protocol/control-plane.ts';
import { ANSWER_MS } from './addressed-processes.ts';

/** The largest number of leases that are shown. */
const MOST_LEASES = 200;

/** The leases by which managers elect a leader. Undefined if the user may not list them. */
export async function readLeaders(client: Client): Promise<readonly Leader[] | undefined> {
  try {
    const leases = client.resource(coordinationV1.leases).in(client.naming.prefixed('system'));
    const { items } = await leases.list({ limit: MOST_LEASES, timeoutMs: ANSWER_MS });
    return items.map(({ metadata, spec = {} }) => {
      const renewed = Date.parse(spec.renewTime ?? '') || 0;
      return {
        name: metadata.name ?? '',
        holder: spec.holderIdentity ?? '',
        since: Date.parse(spec.acquireTime ?? '') || 0,
        renewed,
        transitions: spec.leaseTransitions ?? 0,
        isOver: !spec.holderIdentity || renewed + (spec.leaseDurationSeconds ?? 0) * 1000 < Date.now(),
      };
    });
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
