import type { PodSpec } from '#schema/generated/core.v1.ts';

/** A port of a node that a pod uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The address that means all addresses of a node. */
const ANY = '0.0.0.0';

/** The ports that a pod uses on its node: those of its containers and of its sidecars. */
export function hostPortsOf({ containers, initContainers }: PodSpec): HostPort[] {
  const sidecars = (initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort = 0, hostIP, protocol }) =>
      hostPort === 0 ? [] : [{ ip: hostIP || ANY, protocol: protocol || 'TCP', port: hostPort }],
    ),
  );
}

/** Whether two ports cannot be used at the same time on one node. */
export function hostPortsCollide(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
}
