import type { PodStatus } from '../../generated/core.v1.ts';

/** Brings the one address and the list of addresses of a pod in line; the one address wins. */
export function alignPodAddresses(status: PodStatus | null | undefined): void {
  if (status == null) return;
  const { podIP, podIPs } = status;
  if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!podIP && podIPs?.[0]?.ip) status.podIP = podIPs[0].ip;
}
