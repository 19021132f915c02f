import { execFileSync } from 'node:child_process';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { freePort } from '#scripts/processes.ts';

/** An etcd member in a container, reachable from this machine. */
export interface EtcdContainer {
  readonly url: string;
  /** Freezes or continues its process. Connections stay open, but a frozen process does not answer. */
  pause(): void;
  unpause(): void;
  stop(): Promise<void>;
}

/** Starts etcd from the image `E2E_ETCD_IMAGE` (`make e2e` builds one). The port is fixed, so it survives a restart. */
export async function startEtcdContainer(): Promise<EtcdContainer> {
  const port = await freePort(22379);
  const container: StartedTestContainer = await new GenericContainer(etcdImage())
    .withCommand([
      '--data-dir=/tmp/etcd',
      '--listen-client-urls=http://0.0.0.0:2379',
      `--advertise-client-urls=http://127.0.0.1:${port}`,
    ])
    .withExposedPorts({ container: 2379, host: port })
    // The image does not contain a shell, which the default wait strategy needs to find listening ports.
    .withWaitStrategy(Wait.forHttp('/health', 2379))
    .withStartupTimeout(60_000)
    .start();
  return {
    url: `http://127.0.0.1:${port}`,
    pause: () => docker('pause', container),
    unpause: () => docker('unpause', container),
    stop: async () => void (await container.stop()),
  };
}

/** Members of one etcd cluster. Each is in a container on this machine's network. */
export interface EtcdContainerCluster {
  /** All members, for `--etcd-servers`. */
  readonly urls: string;
  /** Kills the leading member (SIGKILL). Resolves to its number. */
  killLeader(): Promise<number>;
  /** Starts a killed member again, with its data. */
  restart(member: number): void;
  stop(): Promise<void>;
}

/** Starts a cluster of three members. */
export async function startEtcdContainerCluster(): Promise<EtcdContainerCluster> {
  const ports: number[] = [];
  const first = 23379 + Math.floor(Math.random() * 2000);
  for (let i = 0; i < 6; i++) ports.push(await freePort(first, ports));
  const members = [0, 1, 2].map((i) => ({
    client: `http://127.0.0.1:${ports[2 * i]}`,
    peer: `http://127.0.0.1:${ports[2 * i + 1]}`,
  }));
  const everyone = members.map(({ peer }, i) => `m${i}=${peer}`).join(',');
  const containers = await Promise.all(
    members.map(({ client, peer }, i) =>
      new GenericContainer(etcdImage())
        .withNetworkMode('host')
        .withCommand([
          `--name=m${i}`,
          '--data-dir=/tmp/etcd',
          `--listen-client-urls=${client}`,
          `--advertise-client-urls=${client}`,
          `--listen-peer-urls=${peer}`,
          `--initial-advertise-peer-urls=${peer}`,
          `--initial-cluster=${everyone}`,
        ])
        .withWaitStrategy(Wait.forLogMessage(/ready to serve client requests/))
        .withStartupTimeout(60_000)
        .start(),
    ),
  );
  return {
    urls: members.map(({ client }) => client).join(','),
    killLeader: async () => {
      const leader = await leaderOf(members.map(({ client }) => client));
      docker('kill', containers[leader]!);
      return leader;
    },
    restart: (member) => docker('start', containers[member]!),
    stop: async () => void (await Promise.all(containers.map((container) => container.stop()))),
  };
}

function etcdImage(): string {
  const image = process.env['E2E_ETCD_IMAGE'];
  if (!image) throw new Error('E2E_ETCD_IMAGE is not set: run these tests by make e2e.');
  return image;
}

function docker(verb: string, container: StartedTestContainer): void {
  execFileSync('docker', [verb, container.getId()], { stdio: 'ignore' });
}

async function leaderOf(urls: readonly string[]): Promise<number> {
  for (const [i, url] of urls.entries()) {
    const response = await fetch(`${url}/v3/maintenance/status`, { method: 'POST', body: '{}' });
    const { header, leader } = (await response.json()) as { header: { member_id: string }; leader?: string };
    if (header.member_id === leader) return i;
  }
  throw new Error('no member of etcd leads');
}
