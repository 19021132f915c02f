import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import { CN, makeCertificate, O, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import type { Client } from '#client/client.ts';
import { readKeyPair } from '#program/flags/key-pair.ts';
import { podStages } from '#program/operator-files/kinds.ts';
import { readFile } from '#program/operator-files/read-file.ts';
import { serveNodes } from './endpoint/serve-nodes.ts';
import { unpullableImages } from './life/image-pull.ts';
import type { Stage } from './life/stages.ts';
import { WISHES } from './life/wishes.ts';
import { type NodesFlags, planNodes } from './node-plan.ts';
import { type MetricsPlace, metricsHost, registerMetrics } from './register-metrics.ts';
import { Simulation } from './simulation.ts';

/** The waiting time after a failed registration of metrics. */
const AGAIN_MS = 10_000;

/** Simulated nodes that run. */
export interface RunningNodes {
  /** The port of the server that answers for all nodes. */
  readonly port: number;
  readonly simulation: Simulation;
  /** Resolves when the nodes have ended. The signal ends them. */
  readonly ended: Promise<void>;
}

/** Starts the nodes that flags describe, and the server that answers for them. @throws ConfigError */
export async function startNodes(
  flags: NodesFlags,
  client: Client,
  log: Logger,
  signal: AbortSignal,
): Promise<RunningNodes> {
  const { naming } = flags;
  const ip = flags.get('node-ip');
  const file = flags.get('stages');
  const { stages } = file === '' ? { stages: [] } : readFile(file, 'stages').as(podStages, naming);
  refuseUnknownWishes(stages, file);
  let simulation: Simulation | undefined;
  const metrics = { host: metricsHost(client), ...madePair(flags, metricsHost(client)) };
  const server = await serveNodes({
    ...{ naming, log, address: ip, port: flags.get('port') },
    ...(servingPair(flags) ?? metrics),
    metrics,
    clientCa: readOptional(flags.get('client-ca-file'), 'client-ca-file'),
    find: (namespace, pod, container) => simulation?.find(namespace, pod, container),
    nodes: () => simulation?.nodesUp() ?? [],
    pods: () => simulation?.pods() ?? [],
  });
  try {
    const { gitVersion: version } = await client.getJson<{ gitVersion: string }>('/version', { signal });
    const plans = planNodes(flags, { ip, port: server.port, version });
    simulation = new Simulation({
      ...{ client, plans, log, asNodes: flags.get('as-nodes'), events: flags.get('events'), stages },
      isUnpullable: unpullableImages(flags.get('unpullable-images')),
      leaseMs: flags.get('node-lease-duration'),
      reportMs: flags.get('node-status-report-frequency'),
    });
  } catch (error) {
    await server.close();
    throw error;
  }
  if (flags.get('metrics'))
    void registerMetricsApi(client, { address: ip, port: server.port, cert: metrics.cert }, log, signal);
  return { port: server.port, simulation, ended: simulation.run(signal).finally(() => server.close()) };
}

/**
 * Registers the server of usage. It tries again until it succeeds, because an administrator may grant the permission
 * later.
 */
async function registerMetricsApi(
  client: Client,
  place: MetricsPlace,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const isOurs = await registerMetrics(client, place);
      if (!isOurs) log.info('another program serves metrics of nodes and pods');
      return;
    } catch (err) {
      if (signal.aborted) return;
      log[isFirst ? 'warn' : 'debug']({ err }, 'metrics of nodes and pods could not be registered yet');
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** @throws ConfigError if a wish is unknown */
function refuseUnknownWishes(stages: readonly Stage[], file: string): void {
  const known: ReadonlySet<string> = new Set(WISHES);
  for (const { name, next } of stages)
    for (const wish of Object.keys(next.wishes ?? {}))
      if (!known.has(wish))
        throw new ConfigError(`${file}: stage ${name}: ${wish} is no wish: choose among ${WISHES.join(', ')}`);
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for this process. */
function madePair(flags: NodesFlags, host: string): Pair {
  const subject = [
    [O, 'system:nodes'],
    [CN, 'simulated-nodes'],
  ] as const;
  const ips = [flags.get('node-ip')];
  const made = makeCertificate({ subject, usages: [SERVER_AUTH], hosts: ['localhost', host], ips, to: 365 });
  return { cert: made.pem, key: made.keyPem };
}

/** The certificate of the flags; undefined if they name none. @throws ConfigError */
function servingPair(flags: NodesFlags): Pair | undefined {
  const certFile = flags.get('tls-cert-file');
  const keyFile = flags.get('tls-private-key-file');
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('flags --tls-cert-file and --tls-private-key-file belong together: give both or none');
  if (certFile === '') return undefined;
  readKeyPair({ certFile, keyFile, flags: { cert: '--tls-cert-file', key: '--tls-private-key-file' } });
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function readOptional(file: string, flag: string): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`flag --${flag}: cannot read ${file}: ${(error as Error).message}`);
  }
}
