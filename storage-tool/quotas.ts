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
 * The server charges a creation before the write, and a removal after it: only a difference that lasts this long is an
 * error.
 */
const SETTLES_MS = 1_000;

/** A quota that says something else than what its namespace's objects use. */
export interface Miscounted {
  readonly key: string;
  readonly what: string;
  readonly repaired: boolean;
}

/** A resource that quotas may count. */
export interface CountedResource {
  /** As clients name it. */
  readonly group: string;
  readonly plural: string;
  /** The storage id of its objects, `core/pods`. */
  readonly id: string;
}

/** A quota and its counted usage, both at one revision of the quota. */
interface Count {
  readonly revision: number;
  readonly lease: string;
  readonly quota: ResourceQuota;
  readonly used: Record<string, string>;
  readonly differences: readonly string[];
}

/**
 * Counts the usage of each namespace's quotas, and counts a second time if the first result differs from the stored
 * one. A quota that changes during the count is left to the replicas. With `repairs` the counted usage is written.
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

/** Undefined if a part cannot be read, or the objects changed in the meantime. */
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
    // fields of other types and invalid amounts have separate findings, or need a person
    return;
  }
}

/** The built-in resources that quotas may count, with their storage ids. */
function countable({ naming, schema }: Data): CountedResource[] {
  return schema.groupVersions.flatMap(({ group, resources }) =>
    resources.flatMap(({ plural, namespaced, storage }) =>
      storage === undefined || !namespaced
        ? []
        : [{ group: naming.group(group), plural, id: `${storage.group || 'core'}/${storage.plural}` }],
    ),
  );
}

/** Undefined if it cannot be decrypted or is not an object: that is a separate finding. */
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
