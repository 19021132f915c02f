import { existsSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Invocation } from './command-line.ts';
import { Data } from './data.ts';
import { Etcd, type RawValue } from './etcd.ts';
import { backup, refuseToReplace } from './maintain.ts';
import type { Out } from './output.ts';
import { Scratch } from './scratch.ts';
import { restoreSnapshot, restoreTool, startScratchEtcd } from './scratch-etcd.ts';

/** Writes under way at once. */
const AT_ONCE = 64;

/** After so many the database is compacted, so that it does not grow. */
const COMPACT_EVERY = 100_000;

/** More would take hours. */
const MOST = 20_000_000;

/**
 * Makes a snapshot of another one that holds the same and is at a higher revision, as are all objects in it, and has no
 * history: a client that has seen an earlier one has to begin again, and then sees no version go back. In a scratch
 * etcd a key is written again and again, and then everything once. (`etcdutl snapshot restore --bump-revision
 * --mark-compacted` of newer versions of etcd is quicker, and leaves objects at the versions that they had.)
 * @throws ConfigError for what it cannot do
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
        await raiseTo(etcd, `${data.prefix}/raise`, wanted, out);
        await etcd.compact(await writeAgain(etcd, `${data.prefix}/`, out));
        await etcd.defragment(there.servers[0]!);
        return await backup(data, out, [target], invocation.overwrite);
      } finally {
        etcd.close();
      }
    };
    return Promise.race([work(), aborted]);
  });
}

/** Writes (and in the end removes) a key until the revision is `wanted`, and drops all history. */
async function raiseTo(etcd: Etcd, key: string, wanted: number, out: Out): Promise<void> {
  const first = await etcd.put(key);
  const missing = wanted - 1 - first;
  if (missing < 0) throw new ConfigError(`the snapshot is at revision ${first - 1}; ${wanted} is not higher`);
  if (missing > MOST)
    throw new ConfigError(`${wanted} is more than ${MOST} above revision ${first - 1}: that would take hours`);
  for (let done = 0; done < missing; ) {
    const most = Math.min(missing, done + COMPACT_EVERY);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (done < most) {
          done++;
          await etcd.put(key);
          out.progress('revisions', done, missing);
        }
      }),
    );
    await etcd.compact(first + done);
  }
  const there = await etcd.get(key);
  await etcd.write(key, undefined, [{ key, revision: there!.revision }]);
}

/** Writes everything as it is; resolves to the revision of the last one. */
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
