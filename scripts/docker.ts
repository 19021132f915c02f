import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ensureTool, findTool } from './ensure-tool.ts';
import { type Background, startBackground, waitFor } from './processes.ts';

/** A Docker daemon that answers. */
export interface Docker {
  /** The value for `DOCKER_HOST`. */
  readonly host: string;
  /** Ends the daemon, if it was started here. */
  stop(): Promise<void>;
}

/**
 * Finds a running Docker daemon (`DOCKER_HOST` or the usual socket), or installs and starts one. Inside containers and
 * small machines not every storage driver works, so a second try takes the one that always does.
 * @throws Error that says what to do
 */
export async function ensureDocker(directory: string): Promise<Docker> {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const docker = ensureTool('docker', 'docker.io');
  if (answers(docker, host)) return { host, stop: async () => {} };
  if (process.env['DOCKER_HOST']) throw new Error(`No Docker daemon answers at DOCKER_HOST=${host}.`);
  if (process.getuid?.() !== 0)
    throw new Error('No Docker daemon runs, and only root may start one: start it (systemctl start docker).');
  const dockerd = ensureTool('dockerd', 'docker.io');
  if (findTool('iptables') === undefined) ensureTool('iptables', 'iptables');
  mkdirSync(directory, { recursive: true });
  let failure: unknown;
  for (const options of [
    [],
    ['--storage-driver=vfs'],
    ['--storage-driver=vfs', '--iptables=false', '--ip6tables=false'],
  ]) {
    const daemon = startDaemon(dockerd, path.resolve(directory), options);
    try {
      await waitFor(daemon, 30, async () => answers(docker, host));
      return { host, stop: () => daemon.stop() };
    } catch (error) {
      failure = error;
      await daemon.stop();
    }
  }
  throw failure;
}

function startDaemon(dockerd: string, directory: string, options: readonly string[]): Background {
  const places = [`--data-root=${directory}/data`, `--exec-root=${directory}/exec`, `--pidfile=${directory}/pid`];
  return startBackground('dockerd', dockerd, [...places, ...options], path.join(directory, 'dockerd.log'));
}

function answers(docker: string, host: string): boolean {
  if (host.startsWith('unix://') && !existsSync(host.slice('unix://'.length))) return false;
  try {
    execFileSync(docker, ['-H', host, 'info', '--format', '{{.ServerVersion}}'], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
