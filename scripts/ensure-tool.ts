import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The path of an executable on PATH (and where system daemons are kept), or undefined. */
export function findTool(name: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return directories.map((directory) => path.join(directory, name)).find(isExecutable);
}

/**
 * Finds an executable, and installs the Debian package that has it when it is missing and we may.
 * @throws Error that says what to install
 */
export function ensureTool(name: string, debianPackage: string): string {
  return findTool(name) ?? (installPackage(debianPackage) ? findTool(name) : undefined) ?? missing(name, debianPackage);
}

/** Installs a Debian package. False if that is impossible: no apt-get, not root, or no such package. */
export function installPackage(debianPackage: string): boolean {
  const apt = findTool('apt-get');
  if (apt === undefined || process.getuid?.() !== 0) return false;
  console.error(`Installing ${debianPackage} …`);
  const run = (...args: string[]) =>
    execFileSync(apt, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  // Package lists may be absent or old: refresh them only when the first try fails.
  for (const refresh of [false, true]) {
    try {
      if (refresh) run('update', '-qq');
      run('install', '-y', '-qq', '--no-install-recommends', debianPackage);
      return true;
    } catch {}
  }
  return false;
}

function missing(name: string, debianPackage: string): never {
  throw new Error(`${name} is missing: install it (on Debian: apt-get install ${debianPackage}) or put it on PATH.`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
