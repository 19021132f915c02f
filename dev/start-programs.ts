import type { Logger } from 'pino';
import type { Naming } from '#base/naming/naming.ts';
import { connect } from '#client/client.ts';
import { Pools } from '#client/http/pools.ts';
import type { Controller, ManagerFlags } from '#controllers/controller.ts';
import { type ManagerFlag, flagTable as managerTable } from '#controllers/flag-table.ts';
import { controllers } from '#controllers/index.ts';
import { chooseControllers } from '#controllers/manager/choose-controllers.ts';
import { Manager } from '#controllers/manager/manager.ts';
import { ManagerMetrics } from '#controllers/manager/metrics.ts';
import { type NodesFlag, flagTable as nodesTable } from '#nodes/flag-table.ts';
import { startNodes } from '#nodes/start-nodes.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import type { Dial } from '#program/connection/proxy.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { type FlagsOf, parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { flagTable as schedulerTable } from '#scheduler/flag-table.ts';
import { scheduler } from '#scheduler/scheduler.ts';
import type { ClusterFiles } from './certificates.ts';
import { connectionAs } from './connection.ts';

/** The address of the API server for programs, and their identities. */
export interface Place {
  readonly naming: Naming;
  /** Connections to the server inside this process, for the identities that `Trust` names. */
  readonly dialAs: (identity: Trust) => Dial;
  readonly files: ClusterFiles;
  /** The certificate by which clients trust the server, if `files` does not have it. */
  readonly rootCa?: string;
  /** The key of tokens, if `files` does not have it. */
  readonly accountKey?: string;
  readonly log: Logger;
}

/** The address of the server on connections inside this process. */
const INSIDE = 'http://127.0.0.1';

/** Ends a program. Resolves when all parts of it have ended. */
export type End = () => Promise<void>;

/** Controllers of this process. */
export interface RunningManager {
  /** Whether they have read all objects and act. */
  readonly acts: boolean;
  readonly stop: End;
}

function readFlags<Row extends FlagDefinition>(
  argv: readonly string[],
  table: readonly FlagDefinition[],
): FlagsOf<Row> {
  const invocation = parseFlagTable<Row>(argv, table);
  if (!('flags' in invocation)) throw new TypeError('the flags start no program');
  return invocation.flags;
}

/** Starts the controllers. They act at once, because there is no election. */
export function startManager(place: Place): RunningManager {
  const { naming, files } = place;
  const flags = readFlags<ManagerFlag>(
    [
      `--naming=${naming.profile}`,
      '--leader-elect=false',
      '--use-service-account-credentials=true',
      '--secure-port=0',
      `--root-ca-file=${place.rootCa ?? files.file('ca.crt')}`,
      `--service-account-private-key-file=${place.accountKey ?? files.file('sa.key')}`,
      `--cluster-signing-cert-file=${files.file('ca.crt')}`,
      `--cluster-signing-key-file=${files.file('ca.key')}`,
    ],
    managerTable,
  );
  const chosen = chooseControllers(controllers, flags.get('controllers')).controllers;
  return startManaging(place, 'controller-manager', flags, chosen);
}

/** Starts the scheduler. It acts at once, because there is no election. */
export function startScheduler(place: Place): End {
  const { naming } = place;
  const argv = [`--naming=${naming.profile}`, '--leader-elect=false', `--${naming.prefixed('api-qps')}=0`];
  return startManaging(place, 'scheduler', readFlags<ManagerFlag>(argv, schedulerTable), [scheduler]).stop;
}

function startManaging(
  { naming, dialAs, files, log }: Place,
  component: 'controller-manager' | 'scheduler',
  flags: ManagerFlags,
  chosen: readonly Controller[],
): RunningManager {
  const stop = new AbortController();
  const manager = new Manager({
    flags,
    connection: connectionAs(component, INSIDE, files),
    dialAs,
    component,
    controllers: chosen,
    identity: 'orch-dev',
    metrics: new ManagerMetrics(naming, [], stop.signal),
    log,
  });
  const ran = manager.run(stop.signal).catch((err: unknown) => log.error({ err }, `the ${component} ended`));
  return {
    get acts() {
      return manager.started.length > 0 && manager.unfilled.length === 0;
    },
    async stop() {
      stop.abort();
      await ran;
    },
  };
}

/** Starts simulated nodes. They act as nodes with the permissions of the administrator. */
export async function startSimulatedNodes({ naming, dialAs, files, log }: Place, nodes: number): Promise<End> {
  const flags = readFlags<NodesFlag>([`--naming=${naming.profile}`, `--nodes=${nodes}`, '--port=0'], nodesTable);
  const client = await connect(connectionAs('admin', INSIDE, files), {
    naming,
    connections: new Pools(INSIDE, dialAs),
  });
  const stop = new AbortController();
  const running = await startNodes(flags, client, log, stop.signal);
  const ended = running.ended.catch((err: unknown) => log.error({ err }, 'the simulated nodes ended'));
  return async () => {
    stop.abort();
    await ended;
    await client.close();
  };
}
