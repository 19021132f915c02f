import { setTimeout as sleep } from 'node:timers/promises';
import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { evaluators } from '#schema/quota/evaluators.ts';
import { usedOf } from '#schema/quota/used-of.ts';
import { readUsage } from '#schema/values/usage.ts';
import type { Data, StoredObject } from './data.ts';

const QUOTAS = 'core/resourcequotas';

/**
 * The time in milliseconds after which a difference is an error. The server charges a creation before it writes the
 * object, and a deletion after it, so a short difference is normal.
 */
const SETTLES_MS = 1_000;

/** A quota whose stored usage differs from what the objects of its namespace use. */
export interface Miscounted {
  readonly key: string;
  readonly what: string;
  readonly repaired: boolean;
}

/** A resource that a quota can limit. */
export interface CountedResource {
  /** The name of the group, as clients write it. */
  readonly group: string;
  readonly plural: string;
  /** The storage id of its objects, such as `core/pods`. */
  readonly id: string;
}

/** One revision of a quota, and the usage that the tool counted for it. */
interface Count {
  readonly revision: number;
  readonly lease: string;
  readonly quota: ResourceQuota;
  readonly used: Record<string, string>;
  readonly differences: readonly string[];
}

/**
 * Finds quotas with a wrong usage. The function counts what the objects of each namespace use. If the result differs
 * from the stored usage, it counts again. It skips a quota that changes during the count, because a replica is updating
 * that quota. With `repairs`, the function also writes the counted usage.
 */
export async function miscountedQuotas(
  data: Data,
  custom: readonly CountedResource[],
  repairs: boolean,
): Promise<Miscounted[]> {
  const keys: string[] = [];
  await data.each(`${QUOTAS}/`, ({ key }) => void keys.push(key));
  const suspects: [string, Count][] = [];
  for (const key of keys) {
    const count = await countOf(data, custom, key);
    if (count !== undefined && count.differences.length > 0) suspects.push([key, count]);
  }
  const found: Miscounted[] = [];
  if (suspects.length > 0) await sleep(SETTLES_MS);
  for (const [key, before] of suspects) {
    const count = await countOf(data, custom, key);
    if (count?.revision !== before.revision || count.differences.join() !== before.differences.join()) continue;
    found.push({ key, what: count.differences.join('; '), repaired: repairs && (await write(data, key, count)) });
  }
  return found;
}

/** Counts the usage of one quota. Undefined if an object cannot be read, or if the quota changed during the count. */
async function countOf(data: Data, custom: readonly CountedResource[], key: string): Promise<Count | undefined> {
  const { etcd } = data;
  const place = data.place(key)!;
  const raw = await etcd.get(key);
  const quota = raw && readable<ResourceQuota>(await data.open(place, raw));
  if (raw === undefined || quota === undefined || quota.metadata.deletionTimestamp) return;
  const names = Object.keys(quota.spec?.hard ?? {});
  const evaluatorOf = evaluators(data.naming);
  const counted = [];
  for (const { group, plural, id } of [...countable(data), ...custom]) {
    const evaluator = evaluatorOf({ group, type: { plural } });
    if (evaluator.matching(names).length === 0) continue;
    const objects: (ApiObject | undefined)[] = [];
    await data.each(`${id}/${place.namespace}/`, (object) => void objects.push(readable(object)));
    if (objects.includes(undefined)) return;
    counted.push({ evaluator, objects: objects as ApiObject[] });
  }
  if ((await etcd.get(key))?.revision !== raw.revision) return;
  try {
    const used = usedOf(quota, counted);
    const [is, said] = [readUsage(used), readUsage(quota.status?.used)];
    const differences = Object.keys(is)
      .sort()
      .filter((name) => said[name]?.compare(is[name]!) !== 0)
      .map((name) => `of ${name} it says ${said[name] ?? 'nothing'}, and ${is[name]} is used`);
    return { revision: raw.revision, lease: raw.lease, quota, used, differences };
  } catch {
    // The quota has a field of a wrong type or an invalid amount. Other checks report that, and a person must repair
    // it.
    return;
  }
}

/** The built-in resources that a quota can limit, with their storage ids. */
function countable({ naming, schema }: Data): CountedResource[] {
  return schema.groupVersions.flatMap(({ group, resources }) =>
    resources.flatMap(({ plural, namespaced, storage }) =>
      storage === undefined || !namespaced
        ? []
        : [{ group: naming.group(group), plural, id: `${storage.group || 'core'}/${storage.plural}` }],
    ),
  );
}

/** The object in a stored value. Undefined if it cannot be decrypted or is not an object. Other checks report that. */
function readable<T extends ApiObject>({ plain }: StoredObject): T | undefined {
  if (plain === undefined) return;
  try {
    const object = parseStored<T>(plain);
    return typeof object?.metadata === 'object' && object.metadata !== null ? object : undefined;
  } catch {
    return;
  }
}

async function write(data: Data, key: string, { quota, used, revision, lease }: Count): Promise<boolean> {
  const hard = quota.spec?.hard ?? {};
  const plain = Buffer.from(stringify({ ...quota, status: { ...quota.status, hard, used } }));
  const sealing = data.encryption?.sealingOf(QUOTAS);
  const value = sealing === undefined ? plain : await sealing.seal(plain, Buffer.from(key));
  return data.etcd.write(key, value, [{ key, revision }], lease);
}
