import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, apiRequest } from '../scripts/api-request.ts';
import { ensureTool } from '../scripts/ensure-tool.ts';
import { buildEtcdImage } from '../scripts/etcd-image.ts';
import { buildHaproxyImage } from '../scripts/haproxy-image.ts';
import { buildApiServerImage, buildNodeImage } from '../scripts/image.ts';
import type { Pki } from '../scripts/pki.ts';
import { freePort } from '../scripts/processes.ts';
import type { Replica } from './replica.ts';

const root = path.resolve(import.meta.dirname, '..');
const node = process.execPath;

/** Where requests go in. */
export type Entry = Pick<Replica, 'port' | 'pki' | 'request'>;

/** deploy/compose.yaml, running with images made on this machine. */
export interface ComposeStack {
  /** The load balancer, for requests as the administrator. */
  readonly entry: Entry;
  /** The load balancer's page for operators. */
  readonly statusUrl: string;
  /** Sends a request through the load balancer with the certificate of one part of the deployment. */
  requestAs(part: 'admin' | 'prometheus' | 'controller-manager', path: string): Promise<ApiAnswer>;
  readonly services: readonly string[];
  /** Runs docker on the container of a service: `docker('kill', 'etcd1')`. */
  docker(verb: string, service: string, ...options: string[]): void;
  /** Resolves when the services are healthy. Throws with their last words when they are not in time. */
  healthy(services: readonly string[], seconds: number): Promise<void>;
  down(): void;
}

/** `docker compose` where there is one, else `docker-compose`. */
function composeCommand(): readonly string[] {
  const plugin = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  return plugin.status === 0 ? ['docker', 'compose'] : [ensureTool('docker-compose', 'docker-compose')];
}

/** Makes images and certificates, and starts everything. */
export async function startCompose(): Promise<ComposeStack> {
  const host = process.env['DOCKER_HOST'];
  if (!host) throw new Error('DOCKER_HOST is not set: run these tests by make e2e.');
  const state = mkdtempSync(path.join(tmpdir(), 'compose-'));
  execFileSync(node, [path.join(root, 'scripts/make-certificates.ts'), `--folder=${state}`], { stdio: 'ignore' });
  const settings = readFileSync(path.join(state, '.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  const port = await freePort(36443);
  const statusPort = await freePort(38404);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...Object.fromEntries([...settings].map(([, name, value]) => [name, value])),
    STATE: state,
    PORT: String(port),
    STATUS_PORT: String(statusPort),
    ETCD_IMAGE: process.env['E2E_ETCD_IMAGE'] ?? buildEtcdImage(host),
    HAPROXY_IMAGE: buildHaproxyImage(host),
    APISERVER_IMAGE: buildApiServerImage({ host, name: 'orch-apiserver:e2e', base: buildNodeImage(host) }),
  };
  const project = `compose-e2e-${process.pid}`;
  const [command = '', ...first] = composeCommand();
  const compose = (...args: string[]): string => {
    const all = [...first, '-p', project, '-f', path.join(root, 'deploy/compose.yaml'), ...args];
    const { status, stdout, stderr, error } = spawnSync(command, all, { env, encoding: 'utf8' });
    if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const containers = new Map<string, string>();
  const down = () => {
    compose('down', '--volumes', '--timeout', '1');
    rmSync(state, { recursive: true });
  };
  try {
    compose('up', '-d');
    for (const service of compose('config', '--services').trim().split('\n').sort()) {
      // older versions name services of profiles that were not asked for as well
      const container = compose('ps', '-a', '-q', service).trim();
      if (container !== '') containers.set(service, container);
    }
  } catch (error) {
    down();
    throw error;
  }
  const docker = (verb: string, service: string, ...options: string[]): string =>
    execFileSync('docker', [verb, ...options, containers.get(service) ?? service], { encoding: 'utf8' });
  const health = (service: string) => docker('inspect', service, '--format={{.State.Status}} {{.State.Health.Status}}');
  const pkiOf = (part: string): Pki => {
    const directory = path.join(state, 'pki', part);
    // what requests are made with has the administrator's name
    const file = (name: string) => path.join(directory, name.replace(/^admin\b/, part));
    return { directory, file, read: (name) => readFileSync(file(name), 'utf8') };
  };
  const pki = pkiOf('admin');
  return {
    entry: {
      port,
      pki,
      request: (method, target, body) => apiRequest(pki, port, method, target, body),
    },
    statusUrl: `http://127.0.0.1:${statusPort}`,
    requestAs: (part, target) => apiRequest(pkiOf(part), port, 'GET', target),
    services: [...containers.keys()],
    docker: (...args) => void docker(...args),
    async healthy(wanted, seconds) {
      const end = Date.now() + seconds * 1000;
      for (;;) {
        const ill = wanted.filter((service) => health(service).trim() !== 'running healthy');
        if (ill.length === 0) return;
        if (Date.now() > end) {
          const words = ill.map((service) => `${service}: ${health(service)}${compose('logs', '--tail=15', service)}`);
          throw new Error(`not healthy after ${seconds} s:\n${words.join('\n')}`);
        }
        await sleep(500);
      }
    },
    down,
  };
}
