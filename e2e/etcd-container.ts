import { execFileSync } from 'node:child_process';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { freePort } from '../scripts/processes.ts';

/** An etcd member in a container, reachable from this machine. */
export interface EtcdContainer {
  readonly url: string;
  /** Freezes and thaws its process: connections stay, nothing answers. */
  pause(): void;
  unpause(): void;
  stop(): Promise<void>;
}

/** Starts etcd from the image `E2E_ETCD_IMAGE` (`make e2e` builds one). The port is fixed, so it survives a restart. */
export async function startEtcdContainer(): Promise<EtcdContainer> {
  const image = process.env['E2E_ETCD_IMAGE'];
  if (!image) throw new Error('E2E_ETCD_IMAGE is not set: run these tests by make e2e.');
  const port = await freePort(22379);
  const container: StartedTestContainer = await new GenericContainer(image)
    .withCommand([
      '--data-dir=/tmp/etcd',
      '--listen-client-urls=http://0.0.0.0:2379',
      `--advertise-client-urls=http://127.0.0.1:${port}`,
    ])
    .withExposedPorts({ container: 2379, host: port })
    // There is no shell in the image to look for listening ports with.
    .withWaitStrategy(Wait.forHttp('/health', 2379))
    .withStartupTimeout(60_000)
    .start();
  const docker = (verb: string) => void execFileSync('docker', [verb, container.getId()], { stdio: 'ignore' });
  return {
    url: `http://127.0.0.1:${port}`,
    pause: () => docker('pause'),
    unpause: () => docker('unpause'),
    stop: async () => void (await container.stop()),
  };
}
