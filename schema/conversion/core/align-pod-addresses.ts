import type { PodStatus } from '../../generated/core.v1.ts';

/**
 * Makes the single address of a pod equal to the first of its list of addresses. If they differ, the single address
 * takes precedence.
 */
export function alignPodAddresses(status: PodStatus | null | undefined): void {
  if (status == null) return;
  const { podIP, podIPs } = status;
  if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!podIP && podIPs?.[0]?.ip) status.podIP = podIPs[0].ip;
}
