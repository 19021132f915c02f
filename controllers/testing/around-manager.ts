import { pino } from 'pino';
import type { ReleaseName } from '#base/release/release.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { Controller } from '../controller.ts';
import { Manager } from '../manager/manager.ts';
import { ManagerMetrics } from '../manager/metrics.ts';
import { managerFlags } from './start-controller.ts';

/** A real API server and a manager, in this process. */
export interface Running {
  /** A client with the administrator's permissions. */
  readonly client: ConnectedClient;
  readonly replica: TestReplica;
  readonly manager: Manager;
  readonly metrics: ManagerMetrics;
}

/** Starts one more manager. `stop` ends it. */
export function startManager(replica: TestReplica, controllers: readonly Controller[], ...argv: string[]) {
  const stop = new AbortController();
  const flags = managerFlags(...argv);
  const metrics = new ManagerMetrics(flags.naming, [], stop.signal);
  const manager = new Manager({
    flags,
    connection: adminConnection(replica),
    controllers,
    identity: `test-${++managers}`,
    metrics,
    log: pino({ level: 'silent' }),
  });
  const ran = manager.run(stop.signal);
  return {
    manager,
    metrics,
    stop: () => {
      stop.abort();
      return ran;
    },
  };
}

let managers = 0;

/**
 * Starts etcd, a replica and a manager with these controllers before all tests of a suite, and stops them afterwards.
 * Only tests may read the members of the result, because they are set before the tests.
 */
export function aroundManager(controllers: readonly Controller[], ...argv: string[]): Running {
  return around([], controllers, argv);
}

/** Like {@link aroundManager}, with a server that answers as a later release. */
export function aroundLaterManager(
  release: ReleaseName,
  controllers: readonly Controller[],
  ...argv: string[]
): Running {
  return around([`--emulated-version=${release}`], controllers, argv);
}

function around(serverFlags: readonly string[], controllers: readonly Controller[], argv: readonly string[]): Running {
  let running: Running | undefined;
  const started = (): Running => {
    if (running === undefined) throw new Error('the manager is started before the tests');
    return running;
  };
  const cleanUp: (() => Promise<unknown>)[] = [];
  before(async () => {
    const etcd = await startBootstrappedEtcd();
    cleanUp.push(() => etcd.stop());
    const replica = await startReplica(etcd.endpoint, ...serverFlags);
    cleanUp.push(() => replica.stop());
    const client = await connect(adminConnection(replica));
    cleanUp.push(() => client.close());
    const { manager, metrics, stop } = startManager(replica, controllers, ...argv);
    cleanUp.push(stop);
    running = { client, replica, manager, metrics };
  });
  after(async () => {
    for (const clean of cleanUp.reverse()) await clean();
  });
  return {
    get client() {
      return started().client;
    },
    get replica() {
      return started().replica;
    },
    get manager() {
      return started().manager;
    },
    get metrics() {
      return started().metrics;
    },
  };
}
