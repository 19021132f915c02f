import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { namingProfiles } from '#base/naming/create-naming.ts';
import type { NamingProfile } from '#base/naming/naming.ts';
import type { Client } from '#client/client.ts';
import { Discovered, type DiscoveredVersion } from '#client/discovery/discovered.ts';
import { discover } from '#client/discovery/discovery.ts';
import { makeFolder } from '#program/files/make-folder.ts';

/** The content of the cache file for a server. */
interface Kept {
  /** The version of the layout of the cache. */
  readonly form: 1;
  readonly server: string;
  readonly profile: NamingProfile;
  /** The time in milliseconds since 1970. */
  readonly at: number;
  readonly versions: readonly DiscoveredVersion[];
}

/**
 * The longest time for which the file is used, as in the field's clients. A command that does not find a type asks the
 * server again.
 */
const KEPT_MS = 6 * 3_600_000;

/**
 * The types of a server and its naming profile. A file of the user stores them between calls. The server is asked if
 * the file is missing or malformed, after six hours, and if the file does not contain a type.
 */
export class DiscoveryCache {
  readonly #file: string | undefined;
  readonly #server: string;
  readonly #client: () => Promise<Client>;
  #kept: Kept | undefined | null = null;
  #discovered: Discovered | undefined;
  #fresh = false;

  /** @param folder undefined means that nothing is stored */
  constructor(folder: string | undefined, server: string, client: () => Promise<Client>) {
    const name = `${new URL(server).host.replaceAll(/[^\w.-]/g, '_')}-${createHash('sha256').update(server).digest('hex').slice(0, 8)}.json`;
    this.#file = folder === undefined ? undefined : path.join(folder, 'discovery', name);
    this.#server = server;
    this.#client = client;
  }

  /** The naming profile of the server, if the file contains it. */
  get profile(): NamingProfile | undefined {
    return this.#read()?.profile;
  }

  async get(): Promise<Discovered> {
    if (this.#discovered !== undefined) return this.#discovered;
    const kept = this.#read();
    if (kept === undefined) return this.refresh();
    this.#discovered = new Discovered(kept.versions, new Map());
    return this.#discovered;
  }

  /** Asks the server, at most once in a call. */
  async refresh(): Promise<Discovered> {
    if (this.#fresh && this.#discovered !== undefined) return this.#discovered;
    const client = await this.#client();
    this.#discovered = await discover(client);
    this.#fresh = true;
    if (this.#discovered.failed.size === 0) this.#write(client.naming.profile, this.#discovered.versions);
    return this.#discovered;
  }

  #read(): Kept | undefined {
    if (this.#kept !== null) return this.#kept;
    this.#kept = undefined;
    if (this.#file === undefined) return undefined;
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as Kept;
      const young = Date.now() - kept.at < KEPT_MS && kept.at <= Date.now();
      if (kept.form === 1 && kept.server === this.#server && young && namingProfiles.includes(kept.profile))
        this.#kept = kept;
    } catch {
      // The file does not exist yet, or it belongs to another user.
    }
    return this.#kept;
  }

  #write(profile: NamingProfile, versions: readonly DiscoveredVersion[]): void {
    if (this.#file === undefined) return;
    const kept: Kept = { form: 1, server: this.#server, profile, at: Date.now(), versions };
    try {
      makeFolder(path.dirname(this.#file), 0o750);
      const own = `${this.#file}.${process.pid}`;
      writeFileSync(own, JSON.stringify(kept), { mode: 0o600 });
      renameSync(own, this.#file);
    } catch {
      // If the home folder is not writable, the next call asks the server.
    }
  }
}
