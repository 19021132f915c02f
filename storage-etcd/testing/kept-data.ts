import { mkdtempSync, rmSync } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EtcdProcess } from './etcd-process.ts';

/**
 * How many empty bytes are kept after the content of a log file. etcd makes these files much larger than their content.
 */
const STRETCH = 1024 * 1024;

/**
 * Ends an etcd and keeps its data until this process ends. Any number of new ones can begin with the data (`data` of
 * their options). Resolves to its folder.
 */
export async function keptData(etcd: EtcdProcess): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'etcd-data-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await etcd.stop(folder);
  const log = join(folder, 'member', 'wal');
  for (const name of await readdir(log)) {
    if (name.endsWith('.wal')) await cutEmptyEnd(join(log, name));
    else await rm(join(log, name));
  }
  return folder;
}

/** Leaves out the empty rest of a file, which would be read and written with every copy. */
async function cutEmptyEnd(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const stretch = Buffer.alloc(STRETCH);
    const empty = Buffer.alloc(STRETCH);
    for (let at = 0; ; at += STRETCH) {
      const { bytesRead } = await handle.read(stretch, 0, STRETCH, at);
      if (bytesRead < STRETCH) return;
      if (stretch.equals(empty)) return await handle.truncate(at + STRETCH);
    }
  } finally {
    await handle.close();
  }
}
