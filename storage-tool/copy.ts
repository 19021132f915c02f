import { createHash } from 'node:crypto';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Backend, RawValue } from './backend.ts';
import { type Invocation, readEndpoint } from './command-line.ts';
import { openBackend } from './open-backend.ts';
import type { Out } from './output.ts';

/** The largest number of writes in progress. */
const AT_ONCE = 64;

/**
 * Copies everything under the prefix from one store to another, byte by byte. The copies have revisions above all that
 * clients of the first store have seen. So their watches start again, and no version goes back. The command skips
 * values that are already copied, so it can continue after an interruption. At the end it compares both stores.
 *
 * @throws ConfigError if the data at `TO` is not an unfinished copy of the data at `FROM`; NotTheSame if the two stores
 * differ in the end, for example because a server still writes
 */
export async function copy(out: Out, invocation: Invocation): Promise<number> {
  const [from, to] = invocation.args.map(readEndpoint);
  if (from === undefined || to === undefined || invocation.args.length > 2)
    throw new ConfigError('copy needs two endpoints: FROM and TO');
  const source = await openBackend(from, invocation);
  try {
    const target = await openBackend(to, invocation, true);
    try {
      return await new Copy(source, target, invocation.prefix, out).run();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

class Copy {
  readonly #source: Backend;
  readonly #target: Backend;
  readonly #prefix: string;
  readonly #out: Out;
  /** The lease at the target for each lease at the source. */
  readonly #leases = new Map<string, Promise<string>>();

  constructor(source: Backend, target: Backend, prefix: string, out: Out) {
    this.#source = source;
    this.#target = target;
    this.#prefix = prefix;
    this.#out = out;
  }

  async run(): Promise<number> {
    const mark = await this.#begin();
    const there = await this.#hashes(this.#target, 'keys at the target read');
    const writes = new Writes();
    let copied = 0;
    const revision = await this.#each(this.#source, async (raw) => {
      const isThere = there.get(raw.key) === hashOf(raw.value);
      there.delete(raw.key);
      if (!isThere) await writes.add(this.#put(raw));
      this.#out.progress('keys copied', ++copied);
    });
    for (const key of there.keys()) await writes.add(this.#remove(key));
    await writes.all();
    const differs = await this.#difference(revision);
    if (differs !== undefined) throw new NotTheSame(differs);
    const marked = await this.#target.get(mark);
    await this.#target.write(mark, undefined, [{ key: mark, revision: marked?.revision ?? 0 }]);
    const [{ status }] = (await this.#target.members()) as [Awaited<ReturnType<Backend['members']>>[number]];
    const reached = Number(status?.header.revision ?? 0);
    const value = { keys: copied, from: this.#source.address, to: this.#target.address, revision: reached };
    this.#out.result(value, `${copied} keys copied and compared; ${value.to} is at revision ${reached}\n`);
    return 0;
  }

  /** Marks the target as a copy in progress, at a revision above the source's; answers the key of the mark. */
  async #begin(): Promise<string> {
    const [source, target, prefix] = [this.#source, this.#target, this.#prefix];
    if ((await source.get(`${prefix}/profile`)) === undefined)
      throw new ConfigError(`there is no data of API servers under ${prefix} in ${source.address}`);
    const key = `${prefix}/store:copy`;
    const id = await source.id();
    const mark = await target.get(key);
    if (mark === undefined) {
      let first: string | undefined;
      await this.#each(target, ({ key: found }) => void (first ??= found));
      if (first !== undefined)
        throw new ConfigError(`${target.address} has data of its own under ${prefix}: copy to an empty store`);
      await target.put(key, Buffer.from(id));
    } else if (mark.value.toString() !== id) {
      throw new ConfigError(`${target.address} holds an unfinished copy of another store: copy to an empty store`);
    }
    const revision = await this.#each(source, () => {});
    await target.raise(revision, (done, total) => this.#out.progress('revisions', done, total));
    return key;
  }

  /** Calls `take` for each value under the prefix, except those that stores use themselves. */
  #each(backend: Backend, take: (raw: RawValue) => void | Promise<void>): Promise<number> {
    const own = `${this.#prefix}/store:`;
    return backend.each(`${this.#prefix}/`, async (raw) => {
      if (!raw.key.startsWith(own)) await take(raw);
    });
  }

  async #hashes(backend: Backend, what: string): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    await this.#each(backend, ({ key, value }) => {
      hashes.set(key, hashOf(value));
      this.#out.progress(what, hashes.size);
    });
    return hashes;
  }

  async #put({ key, value, lease }: RawValue): Promise<void> {
    await this.#target.put(key, value, lease === '0' ? '0' : await this.#leaseFor(lease));
  }

  async #remove(key: string): Promise<void> {
    const there = await this.#target.get(key);
    if (there !== undefined) await this.#target.write(key, undefined, [{ key, revision: there.revision }]);
  }

  #leaseFor(lease: string): Promise<string> {
    let made = this.#leases.get(lease);
    if (made === undefined) {
      // A lease that has just ended at the source gets one second here.
      const grant = async () => this.#target.grant((await this.#source.secondsLeft(lease)) ?? 1);
      this.#leases.set(lease, (made = grant()));
    }
    return made;
  }

  /**
   * The difference of the two stores, after everything at a revision of the source was copied; undefined if they are
   * equal.
   */
  async #difference(revision: number): Promise<string | undefined> {
    const copied = await this.#hashes(this.#target, 'keys compared');
    let differs: string | undefined;
    let expires = false;
    const now = await this.#each(this.#source, ({ key, value, lease }) => {
      if (copied.get(key) !== hashOf(value)) differs ??= key;
      expires ||= lease !== '0';
      copied.delete(key);
    });
    if (now !== revision && !expires) return `${this.#source.address} was written meanwhile: stop its servers`;
    if (differs !== undefined) return `${differs} is not the same`;
    // Keys that expired at the source expire here too.
    if (copied.size > 0 && !expires) return `${[...copied.keys()][0]} is not at the source`;
    return undefined;
  }
}

/** The error that the two stores differ. */
class NotTheSame extends Error {
  constructor(what: string) {
    super(`the copy is not whole: ${what}; do it again`);
    this.name = 'NotTheSame';
  }
}

/** Writes in progress, up to a limit. */
class Writes {
  #underWay: Promise<void>[] = [];

  async add(write: Promise<void>): Promise<void> {
    this.#underWay.push(write);
    if (this.#underWay.length === AT_ONCE) await this.all();
  }

  async all(): Promise<void> {
    const underWay = this.#underWay;
    this.#underWay = [];
    await Promise.all(underWay);
  }
}

function hashOf(value: Buffer): string {
  return createHash('sha256').update(value).digest('base64');
}
