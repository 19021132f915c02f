import type { PodStatus } from '../../generated/core.v1.ts';

/** Makes the single address and the list of addresses of a pod equal; the single address wins. */
export function alignPodAddresses(status: PodStatus | null | undefined): void {
  if (status == null) return;
  const { podIP, podIPs } = status;
  if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!podIP && podIPs?.[0]?.ip) status.podIP = podIPs[0].ip;
}
