import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { freePort, startBackground, waitFor } from '#scripts/processes.ts';

/**
 * HAProxy as the load balancer of replicas. It does not terminate TLS, and only replicas that report ready get
 * connections.
 */
export interface LoadBalancer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts HAProxy (installs Debian's package if it is missing) and waits until it accepts connections. */
export async function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  const haproxy = ensureTool('haproxy', 'haproxy');
  const port = await freePort(28443 + Math.floor(Math.random() * 1000));
  const directory = mkdtempSync(path.join(tmpdir(), 'e2e-lb-'));
  const file = path.join(directory, 'haproxy.cfg');
  writeFileSync(file, configuration(port, ports));
  const server = startBackground('haproxy', haproxy, ['-db', '-f', file], path.join(directory, 'haproxy.log'));
  await waitFor(server, 10, async () => (await freePort(port)) !== port);
  return { port, stop: () => server.stop() };
}

function configuration(port: number, ports: readonly number[]): string {
  const servers = ports.map((one, i) => `  server replica${i} 127.0.0.1:${one} check check-ssl verify none`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 3s
  timeout client 1h
  timeout server 1h
  option redispatch
  retries 3
listen api
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1
${servers.join('\n')}
`;
}
