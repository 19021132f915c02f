import { ConfigError } from '#base/errors/config-error.ts';
import type { Backend } from './backend.ts';

/** The largest number of writes in progress. */
const AT_ONCE = 64;

/** The number of writes after which the database is compacted, so that it does not grow. */
const COMPACT_EVERY = 100_000;

/** The largest number of writes. More would take hours. */
const MOST = 20_000_000;

/** Writes a key until the revision is `wanted`, then removes the key and drops all history. */
export async function raiseTo(
  etcd: Pick<Backend, 'put' | 'get' | 'write' | 'compact'>,
  key: string,
  wanted: number,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const first = await etcd.put(key);
  const missing = wanted - 1 - first;
  if (missing < 0) throw new ConfigError(`the data is at revision ${first - 1}; ${wanted} is not higher`);
  if (missing > MOST)
    throw new ConfigError(`${wanted} is more than ${MOST} above revision ${first - 1}: that would take hours`);
  for (let done = 0; done < missing; ) {
    const most = Math.min(missing, done + COMPACT_EVERY);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (done < most) {
          done++;
          await etcd.put(key);
          onProgress(done, missing);
        }
      }),
    );
    await etcd.compact(first + done);
  }
  const there = await etcd.get(key);
  await etcd.write(key, undefined, [{ key, revision: there!.revision }]);
}
