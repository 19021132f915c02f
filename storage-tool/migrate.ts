import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Invocation } from './command-line.ts';
import type { Data, StoredObject } from './data.ts';
import { Definitions } from './definitions.ts';
import { MigrationMark } from './migration-mark.ts';
import type { Out } from './output.ts';
import { type Renewed, StoredForm } from './stored-form.ts';
import { VersionsLeft } from './versions-left.ts';

/**
 * Rewrites values that today's configuration would store in another form: values that are not encrypted with the first
 * key, and objects that are not in their kind's storage version. A value is written only if neither it nor the
 * definition of its kind changed since they were read. So replicas and other migrations may run at the same time.
 * Correct values are not written. The command may be started again at any time. With a mark it continues from where it
 * stopped. It reports the versions of custom kinds in which no object is stored any more. The exit status is 1 if a
 * value could not be written.
 */
export async function migrate(
  data: Data,
  out: Out,
  { rate, dryRun, markFile, encryptionFile }: Invocation,
  [under = '']: readonly string[],
): Promise<number> {
  const { etcd, encryption } = data;
  if (encryption !== undefined && !dryRun) await raiseFences(data);
  const definitions = await Definitions.read(data);
  const form = new StoredForm(data, definitions);
  const versions = new VersionsLeft(definitions, under);
  const left: { key: string; problem: string }[] = [];
  let seen = 0;
  let written = 0;
  let changed = 0;
  const { prefix } = data;
  const mark =
    markFile === '' || dryRun
      ? undefined
      : new MigrationMark(markFile, { prefix, under, encryptionFile, definitions: definitions.digest });
  const began = performance.now();
  const leave = (key: string, problem: string) => {
    left.push({ key, problem });
    mark?.stand();
  };
  const one = async (object: StoredObject) => {
    const { key, id, value, revision, lease, plain, problem } = object;
    const sealing = encryption?.sealingOf(id);
    if (plain === undefined) {
      leave(key, problem!);
      versions.unknown(id);
      return;
    }
    versions.seen(object, plain);
    const path = Buffer.from(key);
    let renewed: Renewed | undefined;
    try {
      renewed = await form.renewed(id, plain);
    } catch (error) {
      leave(key, `it cannot be converted: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    if (renewed === undefined && !(await sealing?.isStale(value, path))) return;
    written++;
    if (dryRun) return;
    const early = (written / rate) * 1000 - (performance.now() - began);
    if (early > 0) await sleep(timerMs(early));
    try {
      const next = renewed?.value ?? plain;
      const sealed = sealing === undefined ? next : await sealing.seal(next, path);
      const by = renewed?.by;
      if (await etcd.write(key, sealed, [{ key, revision }, ...(by === undefined ? [] : [by])], lease)) {
        versions.written(object);
        return;
      }
      written--;
      if (by !== undefined && (await etcd.get(by.key))?.revision !== by.revision) {
        leave(key, `its definition ${by.form.name} has changed meanwhile: begin again`);
        return;
      }
      // The client that changed it in the meantime wrote the current form.
      changed++;
      versions.written(object);
    } catch (error) {
      written--;
      leave(key, error instanceof Error ? error.message : String(error));
    }
  };
  const take = async (object: StoredObject) => {
    out.progress('objects', ++seen);
    await one(object);
    mark?.done(object.key);
  };
  try {
    await data.each(under, take, mark?.after);
  } finally {
    mark?.keep();
  }
  if (left.length === 0) mark?.remove();
  const obsolete = await versions.obsolete(etcd);
  const value = { objects: seen, written, changedMeanwhile: changed, left, obsolete, dryRun };
  const text = [
    ...left.map(({ key, problem }) => `${key}: ${problem}\n`),
    ...obsolete.map(
      ({ definition, gone, storedVersions }) =>
        `${definition}: nothing is stored as ${gone.join(' or ')} any more; status.storedVersions may become ${JSON.stringify(storedVersions)}\n`,
    ),
    `${seen} objects, ${written} ${dryRun ? 'to be written' : 'written'}, ${changed} changed meanwhile, ${left.length} left\n`,
  ].join('');
  out.result(value, text);
  return left.length > 0 ? 1 : 0;
}

/**
 * Raises all fences, so that late writes of dead replicas fail after the migration has written the same objects. A dead
 * replica can no longer report such a write. Live replicas send their writes again.
 */
async function raiseFences({ etcd, prefix }: Data): Promise<void> {
  await etcd.each(`${prefix}/store:fence/`, async ({ key, value, revision, lease }) => {
    await etcd.write(key, value, [{ key, revision }], lease).catch((error: Error) => {
      // The fence is deleted with its lease, an hour after its use.
      if (!error.message.includes('lease not found')) throw error;
    });
  });
}
