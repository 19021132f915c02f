import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '#base/errors/config-error.ts';
import { connect } from '#client/client.ts';
import { connectionOfPod } from '#client/connection/find-connection.ts';
import type { Connection } from '#program/connection/connection.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { versionLine } from '#program/flags/build.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { flagHelp } from '#program/flags/flag-help.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { type DebugRequest, debugPage } from '#program/process/debug-pages.ts';
import { standardOutputs } from '#program/process/standard-output.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import type { Controller, ManagerFlags } from '../controller.ts';
import type { ManagerFlag } from '../flag-table.ts';
import { chooseControllers } from './choose-controllers.ts';
import { learnAuthorities } from './learn-authorities.ts';
import { createLog } from './log.ts';
import { Manager } from './manager.ts';
import { ManagerMetrics } from './metrics.ts';
import { serve } from './serve.ts';
import { Visitors } from './visitors.ts';

type Log = ReturnType<typeof createLog>;

/** A program like the controller manager, of which one instance acts while the others wait. */
export interface ManagingProgram {
  /** The name of the program on the command line. */
  readonly name: string;
  /** The name of the component for the API server, without the prefix of the naming: `controller-manager`. */
  readonly component: string;
  /** The description of the program in `--help`. */
  readonly about: string;
  /**
   * All flags of the program, including those that every such program has: those of `flags/`, and `Logs`, `Metrics`,
   * `Misc`.
   */
  readonly flagSections: Readonly<Record<string, readonly FlagDefinition[]>>;
  readonly controllers: readonly Controller[];
  /** The content of `/configz`. */
  readonly configuration: (flags: ManagerFlags) => unknown;
  /** Reads the program's configuration file if a flag names one. @throws ConfigError */
  readonly configure?: (flags: ManagerFlags) => Configured | undefined;
}

/** The settings from a program's file. */
export interface Configured {
  /** The flags in the form of a command line. They take precedence over the command line. */
  readonly flags: readonly string[];
  readonly controllers: readonly Controller[];
  readonly configuration: (flags: ManagerFlags) => unknown;
}

/** Runs a program until a signal stops it, and ends the process. */
export function runProgram(program: ManagingProgram): void {
  run(program).catch((error: unknown) => {
    const meant = error instanceof ConfigError;
    const text = error instanceof Error ? (meant ? error.message : (error.stack ?? error.message)) : String(error);
    process.stderr.write(`${program.name}: ${text}\n`);
    process.exit(1);
  });
}

async function run({ name, component, about, flagSections, ...given }: ManagingProgram): Promise<void> {
  const table = Object.values(flagSections).flat();
  const argv = process.argv.slice(2);
  let invocation = parseFlagTable<ManagerFlag>(argv, table);
  const configured = 'show' in invocation ? undefined : given.configure?.(invocation.flags);
  if (configured !== undefined) invocation = parseFlagTable<ManagerFlag>([...argv, ...configured.flags], table);
  const program = { ...given, ...configured };
  if ('show' in invocation) {
    const help = () => flagHelp(name, about, flagSections, invocation.naming);
    const { out } = standardOutputs(process, `${name}: `, (code) => process.exit(code));
    out.write(`${invocation.show === 'help' ? help() : versionLine(name)}\n`);
    return;
  }
  setFlagsFromString('--heap-growing-percent=40');
  const { flags } = invocation;
  const verbosity = new Verbosity(flags.get('v'));
  const log = createLog(name, readFormat(flags), readLevel(verbosity));
  verbosity.steer(log);
  const chosen = chooseControllers(program.controllers, flags.get('controllers') ?? []);
  for (const warning of [...flags.warnings, ...chosen.warnings]) log.warn(warning);
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
  const connection = readManagerConnection(flags, log);
  const identity = `${hostname()}_${randomUUID()}`;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const metrics = new ManagerMetrics(flags.naming, flags.get('disabled-metrics'), stop.signal);
  const manager = new Manager({
    ...{ flags, connection, component, controllers: chosen.controllers, identity, metrics, log },
  });
  const signalled = (signal: string): void => {
    if (stop.signal.aborted) process.exit(1);
    log.info({ signal }, 'stopping');
    stop.abort();
  };
  process.on('SIGTERM', signalled);
  process.on('SIGINT', signalled);
  const listening = flags.get('secure-port') === 0 ? undefined : await startServing();
  log.info(
    { identity, port: listening?.port, controllers: chosen.controllers.map(({ name }) => name).join(',') },
    'started; waiting to become the leader',
  );
  await manager.run(stop.signal);
  await listening?.close();
  log.info('stopped');
  process.exit(0);

  async function startServing() {
    const other = async (file: string) =>
      file === '' ? manager.client : connect(readOneConnection(file, log), { naming: flags.naming });
    const visitors = new Visitors({
      authentication: await other(flags.get('authentication-kubeconfig')),
      authorization: await other(flags.get('authorization-kubeconfig')),
      authorities: learnAuthorities(manager.client, flags, log, stop.signal),
      tokenTtlMs: flags.get('authentication-token-webhook-cache-ttl'),
      allowedTtlMs: flags.get('authorization-webhook-cache-authorized-ttl'),
      deniedTtlMs: flags.get('authorization-webhook-cache-unauthorized-ttl'),
      openPaths: flags.get('authorization-always-allow-paths'),
    });
    const pages = {
      metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
      notReady: () => manager.unfilled.map((collection) => `the copy of ${collection} is not filled`),
      checks: () => ['leaderElection', ...manager.started],
      configuration: () => program.configuration(flags),
      debug: flags.get('profiling') ? (request: DebugRequest) => debugPage(request, verbosity) : undefined,
      ended: stop.signal,
    };
    return serve(name, flags, pages, visitors, log);
  }
}

/** The connection that a file describes. Logs a warning for each unknown field of the file. */
function readOneConnection(file: string, log: Log): Connection {
  const from = readConnectionFiles([file]);
  for (const line of from.unknownFields()) log.warn(line);
  return chooseConnection(from);
}

function readManagerConnection(flags: ManagerFlags, log: Log): Connection {
  const file = flags.get('kubeconfig');
  const master = flags.get('master');
  const read = file === '' ? connectionOfPod() : readOneConnection(file, log);
  if (read === undefined && master === '')
    throw new ConfigError('where is the API server? Give --kubeconfig, a connection file');
  const { cluster, user } = read ?? { cluster: { server: master }, user: {} };
  return { cluster: master === '' ? cluster : { ...cluster, server: master }, user };
}

function readFormat(flags: ManagerFlags): 'json' | 'text' {
  const format = flags.get('logging-format');
  if (format !== 'json' && format !== 'text') throw new ConfigError('flag --logging-format must be json or text');
  return format;
}

function readLevel({ level }: Verbosity): string {
  return level === 'info' ? (process.env['LOG_LEVEL'] ?? level) : level;
}
