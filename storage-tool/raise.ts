import { existsSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import type { RawValue } from './backend.ts';
import type { Invocation } from './command-line.ts';
import { Data } from './data.ts';
import { Etcd } from './etcd.ts';
import { backup, refuseToReplace } from './maintain.ts';
import type { Out } from './output.ts';
import { raiseTo } from './raise-revision.ts';
import { Scratch } from './scratch.ts';
import { restoreSnapshot, restoreTool, startScratchEtcd } from './scratch-etcd.ts';

/** The largest number of writes in progress. */
const AT_ONCE = 64;

/**
 * Makes a snapshot with the same objects at higher revisions, without history. A client that has seen an earlier
 * revision must list again, and then never sees a version go back. The command writes one key many times to a scratch
 * etcd, and then writes every object once. (`etcdutl snapshot restore --bump-revision --mark-compacted` of newer
 * releases of etcd is faster, but it leaves the objects at their old versions.)
 * @throws ConfigError if this is not possible
 */
export async function raise(out: Out, invocation: Invocation): Promise<number> {
  const [file, asked, target] = invocation.args;
  const wanted = Number(asked);
  if (file === undefined || target === undefined || !Number.isSafeInteger(wanted))
    throw new ConfigError('raise needs a snapshot, a revision, and the name of a file');
  if (!existsSync(file)) throw new ConfigError(`there is no snapshot ${file}`);
  refuseToReplace(target, invocation.overwrite);
  const tool = await restoreTool();
  return Scratch.with(async (scratch, aborted) => {
    const work = async (): Promise<number> => {
      await restoreSnapshot(scratch, tool, file);
      const there = { ...invocation, ...(await startScratchEtcd(scratch)) };
      const etcd = new Etcd(there);
      try {
        const data = await Data.of(etcd, there);
        await raiseTo(etcd, `${data.prefix}/raise`, wanted, (done, total) => out.progress('revisions', done, total));
        await etcd.compact(await writeAgain(etcd, `${data.prefix}/`, out));
        await etcd.defragment(there.servers[0]!);
        return await backup(data, out, [target], invocation.overwrite);
      } finally {
        await etcd.close();
      }
    };
    return Promise.race([work(), aborted]);
  });
}

/** Writes every object again without a change. Resolves to the revision of the last write. */
async function writeAgain(etcd: Etcd, prefix: string, out: Out): Promise<number> {
  let written = 0;
  let revision = 0;
  let underWay: Promise<void>[] = [];
  const one = async ({ key, value, lease }: RawValue): Promise<void> => {
    revision = Math.max(revision, await etcd.put(key, value, lease));
    out.progress('keys written', ++written);
  };
  await etcd.each(prefix, async (value) => {
    underWay.push(one(value));
    if (underWay.length < AT_ONCE) return;
    await Promise.all(underWay);
    underWay = [];
  });
  await Promise.all(underWay);
  return revision;
}
