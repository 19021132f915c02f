import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Backend } from './backend.ts';
import type { Data } from './data.ts';
import type { Out } from './output.ts';

/**
 * Drops history before a revision, by default before the current one. Watches and paged lists of older revisions must
 * begin again.
 */
export async function compact({ etcd }: Data, out: Out, [asked]: readonly string[]): Promise<number> {
  const revision = asked === undefined ? await presentRevision(etcd) : Number(asked);
  if (!Number.isSafeInteger(revision) || revision < 1) throw new ConfigError('compact needs a revision, or nothing');
  await etcd.compact(revision);
  out.result({ revision }, `compacted before revision ${revision}\n`);
  return 0;
}

/** Defragments the members, one after the other, and the leader last. Stops when a member does not answer. */
export async function defrag({ etcd }: Data, out: Out): Promise<number> {
  const freed: { address: string; before: number; after: number }[] = [];
  const members = await healthy(etcd);
  const order = [...members].sort((a, b) => Number(a.isLeader) - Number(b.isLeader));
  for (const { address } of order) {
    const before = (await healthy(etcd)).find((member) => member.address === address)!.bytes;
    out.progress(`members; ${address} answers nothing for a moment`, freed.length, order.length);
    await etcd.defragment(address);
    const after = (await healthy(etcd)).find((member) => member.address === address)!.bytes;
    freed.push({ address, before, after });
  }
  out.result(
    freed,
    freed.map(({ address, before, after }) => `${address}: ${before} bytes before, ${after} now\n`).join(''),
  );
  return 0;
}

/** How many bytes at the end of a snapshot are its SHA-256 checksum, as etcd adds it. */
const CHECKSUM = 32;

/** @throws ConfigError if a backup or its description exists and must not be replaced */
export function refuseToReplace(file: string, overwrite: boolean): void {
  const there = [file, `${file}.json`].find((name) => existsSync(name));
  if (there !== undefined && !overwrite)
    throw new ConfigError(`${there} already exists: choose another name, or replace it with --overwrite`);
}

/**
 * Saves a snapshot of the database, and `FILE.json` beside it, which describes the snapshot. A failure leaves no file.
 * @throws ConfigError if the file exists and `overwrite` is not set
 */
export async function backup(data: Data, out: Out, [file]: readonly string[], overwrite: boolean): Promise<number> {
  if (file === undefined) throw new ConfigError('backup needs the name of a file');
  refuseToReplace(file, overwrite);
  const partial = `${file}.part`;
  if (data.etcd.snapshot === undefined) return backUpFile(data, out, file, partial);
  const revision = await presentRevision(data.etcd);
  const whole = createHash('sha256');
  const content = createHash('sha256');
  let tail = Buffer.alloc(0);
  let bytes = 0;
  const handle = await open(partial, 'wx', 0o600).catch((error: Error) => {
    throw new ConfigError(`cannot write ${partial}: ${error.message}`);
  });
  try {
    await data.etcd.snapshot(async (piece, remaining) => {
      await handle.write(piece);
      whole.update(piece);
      const known = Buffer.concat([tail, piece]);
      const end = Math.max(0, known.length - CHECKSUM);
      content.update(known.subarray(0, end));
      tail = Buffer.from(known.subarray(end));
      bytes += piece.length;
      out.progress('bytes', bytes, bytes + remaining);
    });
    await handle.sync();
    await handle.close();
    if (bytes % 512 !== CHECKSUM || !content.digest().equals(tail))
      throw new Error('the snapshot is damaged: its checksum does not match');
    return await publish(data, out, file, { bytes, sha256: whole.digest('hex'), revision });
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

/** Saves a store in a file as another such file. A server can start on the copy instead of the store. */
async function backUpFile(data: Data, out: Out, file: string, partial: string): Promise<number> {
  const revision = await presentRevision(data.etcd);
  try {
    await rm(partial, { force: true });
    await data.etcd.copyTo!(partial);
    const handle = await open(partial, 'r+');
    await handle.chmod(0o600);
    await handle.sync();
    const { size: bytes } = await handle.stat();
    await handle.close();
    const whole = createHash('sha256');
    await pipeline(createReadStream(partial), whole);
    return await publish(data, out, file, { bytes, sha256: whole.digest('hex'), revision });
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Renames the finished backup, and writes a manifest beside it. */
async function publish(
  { prefix, naming }: Data,
  out: Out,
  file: string,
  { bytes, sha256, revision }: { readonly bytes: number; readonly sha256: string; readonly revision: number },
): Promise<number> {
  const saved = { prefix, naming: naming.profile, atLeastRevision: revision, savedAt: new Date().toISOString() };
  const manifest = { file, bytes, sha256, ...saved };
  await writeFile(`${file}.json`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.part`, file);
  out.result(manifest, `${bytes} bytes in ${file}, of revision ${revision} or later\n`);
  return 0;
}

async function presentRevision(etcd: Backend): Promise<number> {
  return Math.max(...(await healthy(etcd)).map(({ revision }) => revision));
}

/**
 * All members of etcd.
 *
 * @throws Error when a member does not answer
 */
async function healthy(etcd: Backend) {
  return (await etcd.members()).map(({ address, status, problem }) => {
    if (status === undefined) throw new Error(`${address} does not answer: ${problem}`);
    const { header, leader, dbSize } = status;
    return { address, revision: Number(header.revision), bytes: Number(dbSize), isLeader: leader === header.member_id };
  });
}
