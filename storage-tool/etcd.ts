import { readFileSync } from 'node:fs';
import { Etcd3, type IKeyValue } from 'etcd3';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Backend, KeyCondition, Member, RawValue } from './backend.ts';
import { channelOptions } from './channel.ts';
import type { Invocation } from './command-line.ts';
import { raiseTo } from './raise-revision.ts';

/** The number of keys that are read at once. */
const PAGE = 500;

const DEADLINE_MS = 10_000;

/** A key that is written many times to reach a higher revision. No server reads it. */
const RAISED_KEY = '/orch-storage/raise';

/** The address of an etcd, and the credentials for it. */
export type EtcdPlace = Pick<Invocation, 'servers' | 'caFile' | 'certFile' | 'keyFile'>;

/** Calls of etcd, through a library that shares no code with the server's own. */
export class Etcd implements Backend {
  readonly servers: readonly string[];
  readonly address: string;
  readonly #all: Etcd3;
  readonly #members: readonly Etcd3[];

  constructor({ servers, caFile, certFile, keyFile }: EtcdPlace) {
    const read = (file: string): Buffer => {
      try {
        return readFileSync(file);
      } catch (error) {
        throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`);
      }
    };
    const client = certFile === '' ? {} : { certChain: read(certFile), privateKey: read(keyFile) };
    const tls = caFile === '' ? undefined : { rootCertificate: read(caFile), ...client };
    const options = {
      ...(tls && { credentials: tls }),
      grpcOptions: { 'grpc.max_receive_message_length': -1, ...channelOptions(tls ?? {}) },
      defaultCallOptions: (call: { isStream: boolean }) =>
        call.isStream ? {} : { deadline: Date.now() + DEADLINE_MS },
    };
    this.servers = servers;
    this.address = servers.join(',');
    this.#all = new Etcd3({ ...options, hosts: [...servers] });
    this.#members = servers.map((server) => new Etcd3({ ...options, hosts: [server] }));
  }

  async get(key: string, anyMember = false): Promise<RawValue | undefined> {
    const { kvs } = await this.#all.kv.range({ key: Buffer.from(key), serializable: anyMember });
    return kvs[0] && rawValue(kvs[0]);
  }

  async each(prefix: string, take: (value: RawValue) => void | Promise<void>, after = ''): Promise<number> {
    let key = Buffer.from(after === '' ? prefix : `${after}\0`);
    const end = Buffer.from(prefix);
    end[end.length - 1]!++;
    let revision: string | undefined;
    for (;;) {
      const at = revision === undefined ? {} : { revision };
      const asked = this.#all.kv.range({ key, range_end: end, limit: PAGE, ...at });
      const page = await asked.catch((error: Error) => {
        if (revision === undefined || !error.message.includes('compacted')) throw error;
      });
      if (page === undefined) {
        // The read took so long that etcd dropped its history. The remaining keys are read at the current revision.
        revision = undefined;
        continue;
      }
      revision ??= page.header.revision;
      for (const one of page.kvs) await take(rawValue(one));
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined) return Number(revision);
      key = Buffer.concat([last.key, Buffer.alloc(1)]);
    }
  }

  /**
   * Writes or removes a key if all conditions hold: the revisions of keys, 0 for an absent key. Resolves to whether
   * they did.
   */
  async write(
    key: string,
    value: Buffer | undefined,
    conditions: readonly KeyCondition[],
    lease = '0',
  ): Promise<boolean> {
    const [first, ...others] = conditions;
    let transaction = this.#all.if(first!.key, 'Mod', '==', first!.revision);
    for (const one of others) transaction = transaction.and(one.key, 'Mod', '==', one.revision);
    const put = this.#all.put(key);
    if (lease !== '0') put.lease(lease);
    const operation = value === undefined ? this.#all.delete().key(key) : put.value(value);
    return (await transaction.then(operation).commit()).succeeded;
  }

  /** Writes a key unconditionally. Resolves to the revision. */
  async put(key: string, value: Buffer = Buffer.alloc(0), lease = '0'): Promise<number> {
    const put = this.#all.put(key).value(value);
    if (lease !== '0') put.lease(lease);
    return Number((await put.exec()).header.revision);
  }

  async secondsLeft(lease: string): Promise<number | undefined> {
    const { TTL } = await this.#all.leaseClient.leaseTimeToLive({ ID: lease });
    return Number(TTL) > 0 ? Number(TTL) : undefined;
  }

  async grant(seconds: number): Promise<string> {
    const { ID } = await this.#all.leaseClient.leaseGrant({ TTL: Math.ceil(seconds) });
    return ID;
  }

  async id(): Promise<string> {
    const { header } = await this.#all.kv.range({ key: Buffer.from('\0'), count_only: true });
    return header.cluster_id;
  }

  async raise(revision: number, onProgress: (done: number, total: number) => void): Promise<void> {
    const { header } = await this.#all.kv.range({ key: Buffer.from('\0'), count_only: true });
    // `raiseTo` writes the key at least once and then removes it.
    if (Number(header.revision) <= revision) await raiseTo(this, RAISED_KEY, revision + 2, onProgress);
  }

  members(): Promise<Member[]> {
    return Promise.all(
      this.#members.map(async (member, i) => {
        const address = this.servers[i]!;
        try {
          return { address, status: await member.maintenance.status() };
        } catch (error) {
          return { address, problem: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
  }

  async alarms(): Promise<string[]> {
    const { alarms } = await this.#all.maintenance.alarm({ action: 'Get' });
    return alarms.map(({ alarm, memberID }) => `${alarm} of ${BigInt(memberID).toString(16)}`);
  }

  /** Drops history up to a revision, and removes it from the database. */
  async compact(revision: number): Promise<void> {
    await this.#all.kv.compact({ revision: String(revision), physical: true });
  }

  /** Makes one member free unused space. The member does not answer during that time. */
  async defragment(address: string): Promise<void> {
    const member = this.#members[this.servers.indexOf(address)]!;
    await member.maintenance.defragment({ deadline: Date.now() + 600_000 });
  }

  /** A snapshot of the database, in pieces. */
  async snapshot(take: (piece: Buffer, remaining: number) => Promise<void>): Promise<void> {
    const stream = await this.#all.maintenance.snapshot();
    for await (const piece of stream as unknown as AsyncIterable<{ blob: Buffer; remaining_bytes: string }>)
      await take(piece.blob, Number(piece.remaining_bytes));
  }

  async close(): Promise<void> {
    this.#all.close();
    for (const member of this.#members) member.close();
  }
}

function rawValue({ key, value, mod_revision, lease }: IKeyValue): RawValue {
  return { key: key.toString(), value, revision: Number(mod_revision), lease };
}
