import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiAnswer, apiRequest } from '#scripts/api-request.ts';
import { Compose } from '#scripts/compose.ts';
import { buildEtcdImage } from '#scripts/etcd-image.ts';
import { buildHaproxyImage } from '#scripts/haproxy-image.ts';
import { buildApiServerImage, buildNodeImage } from '#scripts/image.ts';
import type { Pki } from '#scripts/pki.ts';
import { freePort } from '#scripts/processes.ts';
import type { Replica } from './replica.ts';

const root = path.resolve(import.meta.dirname, '..');
const node = process.execPath;

/** The address for requests. */
export type Entry = Pick<Replica, 'port' | 'pki' | 'request'>;

/** A running deploy/compose.yaml, with images made on this machine. */
export interface ComposeStack {
  /** The address of the load balancer, for requests as the administrator. */
  readonly entry: Entry;
  /** The load balancer's page for operators. */
  readonly statusUrl: string;
  /** Sends a request through the load balancer with the certificate of one part of the deployment. */
  requestAs(part: 'admin' | 'prometheus' | 'controller-manager', path: string): Promise<ApiAnswer>;
  readonly services: readonly string[];
  /** The variables of compose.yaml, for commands on this deployment. */
  readonly env: Readonly<Record<string, string>>;
  readonly compose: Compose;
  /**
   * Runs docker on the container of a service, as in `docker('kill', 'etcd1')`. Clients in this process continue their
   * work.
   */
  docker(verb: string, service: string, ...options: string[]): Promise<void>;
  /**
   * Resolves when the services are healthy.
   *
   * @throws Error with their last output if they are not healthy in time
   */
  healthy(services: readonly string[], seconds: number): Promise<void>;
  down(): void;
}

/** Makes images and certificates, and starts everything. `more` are variables of compose.yaml. */
export async function startCompose(more: Readonly<Record<string, string>> = {}): Promise<ComposeStack> {
  const host = process.env['DOCKER_HOST'];
  if (!host) throw new Error('DOCKER_HOST is not set: run these tests by make e2e.');
  const state = mkdtempSync(path.join(tmpdir(), 'compose-'));
  execFileSync(node, [path.join(root, 'scripts/make-certificates.ts'), `--folder=${state}`], { stdio: 'ignore' });
  const settings = readFileSync(path.join(state, '.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  const images = {
    ETCD_IMAGE: process.env['E2E_ETCD_IMAGE'] ?? buildEtcdImage(host),
    HAPROXY_IMAGE: buildHaproxyImage(host),
    APISERVER_IMAGE: buildApiServerImage({ host, name: 'orch-apiserver:e2e', base: buildNodeImage(host) }),
  };
  // Ports are chosen last, because tests of other processes use ports while the images are built.
  const port = await freePort(29_500 + Math.floor(Math.random() * 400));
  const statusPort = await freePort(port, [port]);
  const env: Record<string, string> = {
    ...Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value])),
    ...more,
    ...images,
    COMPOSE_PROJECT_NAME: `compose-e2e-${process.pid}`,
    STATE: state,
    PORT: String(port),
    STATUS_PORT: String(statusPort),
  };
  const compose = new Compose(env);
  const down = () => {
    compose.run('down', '--volumes', '--timeout', '1');
    rmSync(state, { recursive: true });
  };
  let services: string[];
  try {
    compose.run('up', '-d');
    services = [...compose.services().keys()];
  } catch (error) {
    down();
    throw error;
  }
  const pkiOf = (part: string): Pki => {
    const directory = path.join(state, 'pki', part);
    // The code that sends requests reads files with the administrator's name.
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
    services,
    env,
    compose,
    docker: (...args) => compose.dockerMeanwhile(...args),
    healthy: (wanted, seconds) => compose.healthy(wanted, seconds),
    down,
  };
}
