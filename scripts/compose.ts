import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureTool } from './ensure-tool.ts';

const deploy = path.resolve(import.meta.dirname, '../deploy');

/** deploy/compose.yaml with the settings beside it and those of an environment, as `docker compose` reads it there. */
export class Compose {
  readonly #env: NodeJS.ProcessEnv;
  #command: readonly string[] | undefined;

  /** `more` is added to the environment: variables of compose.yaml, `COMPOSE_PROJECT_NAME`, `DOCKER_HOST`. */
  constructor(more: Readonly<Record<string, string>> = {}) {
    this.#env = { ...process.env, ...more };
  }

  /** The folder with `pki/`, `data/` and `log/`: `STATE`, or deploy/. */
  get state(): string {
    return path.resolve(deploy, this.setting('STATE') ?? '.');
  }

  /** Runs a command of compose and returns its output. @throws Error with its error message */
  run(...args: string[]): string {
    const { status, output } = this.attempt(...args);
    if (status !== 0) throw new Error(`docker compose ${args.join(' ')} failed:\n${output}`);
    return output;
  }

  /** Runs a command of compose. `output` is its output, or its error message if it failed. */
  attempt(...args: string[]): { readonly status: number; readonly output: string } {
    // The command may have to be installed first; the arguments are checked before that.
    this.#command ??= composeCommand();
    const [command = '', ...first] = this.#command;
    const { status, stdout, stderr, error } = spawnSync(command, [...first, ...args], {
      cwd: deploy,
      env: this.#env,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    if (error !== undefined) throw error;
    return { status: status ?? 1, output: status === 0 ? stdout : `${stdout}${stderr}`.trim() };
  }

  /** The existing services, running or not, by name. */
  services(): Map<string, string> {
    const containers = new Map<string, string>();
    for (const service of this.run('config', '--services').trim().split('\n').sort()) {
      // Older versions also list services of profiles that were not requested.
      const id = this.container(service);
      if (id !== '') containers.set(service, id);
    }
    return containers;
  }

  /** The id of a service's container, '' if there is none. */
  container(service: string): string {
    const project = this.setting('COMPOSE_PROJECT_NAME') ?? path.basename(deploy);
    const labels = [`project=${project}`, `service=${service}`, 'oneoff=False'];
    const filters = labels.map((label) => `--filter=label=com.docker.compose.${label}`);
    return this.#docker('ps', '-a', '-q', ...filters).trim();
  }

  /** Runs docker on the container of a service: `docker('kill', 'etcd1', '--signal=HUP')`. */
  docker(verb: string, service: string, ...options: string[]): string {
    return this.#docker(verb, ...options, this.container(service) || service);
  }

  /** Copies a file out of the image of a service, which need not run. */
  copyFrom(service: string, file: string, target: string): void {
    if (this.container(service) === '') this.run('up', '--no-start', '--no-deps', service);
    this.#docker('cp', '--follow-link', `${this.container(service)}:${file}`, target);
  }

  /** The same without blocking this process: stopping a replica takes seconds. */
  async dockerMeanwhile(verb: string, service: string, ...options: string[]): Promise<void> {
    const args = [verb, ...options, this.container(service) || service];
    await promisify(execFile)('docker', args, { env: this.#env });
  }

  /** Whether a command in the container of a service succeeds. */
  succeeds(service: string, ...command: string[]): boolean {
    const { status } = spawnSync('docker', ['exec', this.container(service), ...command], {
      env: this.#env,
      stdio: 'ignore',
    });
    return status === 0;
  }

  /** Whether a member of etcd or a replica reports that it serves; docker would ask it later. */
  serves(service: string): boolean {
    return service.startsWith('etcd')
      ? this.succeeds(service, '/usr/local/bin/etcdctl', 'endpoint', 'health')
      : this.succeeds(service, 'node', '/app/dist/server/healthcheck.js');
  }

  /** The address of a service's container in the network that they share. */
  address(service: string): string {
    const format = '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
    return this.docker('inspect', service, format).trim().split(' ')[0] ?? '';
  }

  #docker(...args: string[]): string {
    return execFileSync('docker', args, { env: this.#env, encoding: 'utf8' });
  }

  /** A variable of compose.yaml: from the environment, or from the settings file next to it. */
  setting(name: string): string | undefined {
    return this.#env[name] ?? settingOf(path.join(deploy, '.env'), name);
  }

  /** Resolves when the services are healthy. Rejects with their last words when they are not in time. */
  async healthy(wanted: readonly string[], seconds: number): Promise<void> {
    const health = (service: string) =>
      this.docker('inspect', service, '--format={{.State.Status}} {{.State.Health.Status}}').trim();
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const ill = wanted.filter((service) => health(service) !== 'running healthy');
      if (ill.length === 0) return;
      if (Date.now() > end) {
        const words = ill.map((one) => `${one}: ${health(one)}\n${this.run('logs', '--tail=15', one)}`);
        throw new Error(`not healthy after ${seconds} s:\n${words.join('\n')}`);
      }
      await sleep(500);
    }
  }
}

/** The value of a line `NAME=value` in a file of settings; undefined without the line, or without the file. */
export function settingOf(file: string, name: string): string | undefined {
  const settings = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return new RegExp(`^${name}=(.*)$`, 'm').exec(settings)?.[1];
}

/**
 * Resolves when a condition holds; an error counts as not yet. Rejects after `seconds` with the name of the condition.
 */
export async function patiently(what: string, seconds: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      if (await holds()) return;
    } catch {}
    if (Date.now() > end) throw new Error(`${seconds} s have passed, and it does not hold that ${what}.`);
    await sleep(300);
  }
}

/** `docker compose` if it is installed, otherwise `docker-compose`. */
function composeCommand(): readonly string[] {
  const plugin = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  return plugin.status === 0 ? ['docker', 'compose'] : [ensureTool('docker-compose', 'docker-compose')];
}
