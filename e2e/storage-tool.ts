import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureTool } from '#scripts/ensure-tool.ts';

/** Runs the built storage tool as an operator does. Resolves to its output. Rejects if its exit code is not 0. */
export async function storageTool(...args: string[]): Promise<string> {
  const main = path.resolve(import.meta.dirname, '../dist/storage/main.js');
  const etcdctl = path.dirname(ensureTool('etcdctl', 'etcd-client'));
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...process.env, PATH: [process.env['PATH'], etcdctl].join(path.delimiter) },
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}

/** The damage that `verify` finds in the data of an etcd, in its own words. Empty if it finds none. */
export async function damageIn(...flags: string[]): Promise<string[]> {
  const said = await storageTool('verify', '-o', 'json', ...flags).catch((error: { stdout?: string }) => {
    if (!error.stdout) throw error;
    return error.stdout;
  });
  const { findings } = JSON.parse(said) as { findings: { damage: string; key: string; what: string }[] };
  return findings.map(({ damage, key, what }) => `${damage} ${key} ${what}`);
}
