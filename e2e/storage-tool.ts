import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureTool } from '#scripts/ensure-tool.ts';

/** The built storage tool, as an operator calls it; what it prints. Rejects where it does not end with 0. */
export async function storageTool(...args: string[]): Promise<string> {
  const main = path.resolve(import.meta.dirname, '../dist/storage/main.js');
  const etcdctl = path.dirname(ensureTool('etcdctl', 'etcd-client'));
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...process.env, PATH: [process.env['PATH'], etcdctl].join(path.delimiter) },
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}

/** What `verify` finds in the data behind an etcd, as it says it; empty where it finds nothing. */
export async function damageIn(...flags: string[]): Promise<string[]> {
  const said = await storageTool('verify', '-o', 'json', ...flags).catch((error: { stdout?: string }) => {
    if (!error.stdout) throw error;
    return error.stdout;
  });
  const { findings } = JSON.parse(said) as { findings: { damage: string; key: string; what: string }[] };
  return findings.map(({ damage, key, what }) => `${damage} ${key} ${what}`);
}
