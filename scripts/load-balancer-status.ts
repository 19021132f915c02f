import { type Compose, patiently } from './compose.ts';
import { LOAD_BALANCER } from './compose-services.ts';

/** How long HAProxy may take to see what there is, in seconds. */
const PATIENCE = 90;

async function metrics(compose: Compose): Promise<string> {
  const answer = await fetch(`http://${compose.address(LOAD_BALANCER)}:8404/metrics`, {
    signal: AbortSignal.timeout(3_000),
  });
  return answer.text();
}

async function replicasUp(compose: Compose): Promise<number> {
  const up = /^haproxy_server_status\{proxy="replicas",server="\w+",state="UP"\} 1$/gm;
  return [...(await metrics(compose)).matchAll(up)].length;
}

/** Seconds since the worker of HAProxy that answers has started. */
export async function loadBalancerUptime(compose: Compose): Promise<number> {
  return Number(/^haproxy_process_uptime_seconds (\d+)/m.exec(await metrics(compose))?.[1]);
}

/** Resolves when the load balancer finds `count` replicas ready. @throws Error when it does not in time */
export async function replicasReady(compose: Compose, count: number): Promise<void> {
  const areUp = async () => (await replicasUp(compose)) === count;
  await patiently('the load balancer finds all replicas ready', PATIENCE, areUp);
}
