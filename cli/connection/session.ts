import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Caller } from '#client/caller.ts';
import type { Client } from '#client/client.ts';
import type { Discovered, DiscoveredType } from '#client/discovery/discovered.ts';
import type { Flags } from '../framework/flag.ts';
import type { Io } from '../framework/io.ts';
import type { PluginPolicy } from '../preferences/preferences.ts';
import { inGroup } from './in-group.ts';
import type { Opened } from './open.ts';
import { readSettings, type Settings } from './settings.ts';

/** The connection of one call of a command. It reads files and sends requests when a command first needs them. */
export class Session {
  readonly io: Io;
  /** The number of warnings from the server. */
  warnings = 0;
  /** The programs that may run to get credentials. Undefined means all programs. */
  plugins: PluginPolicy | undefined;
  readonly #flags: Flags;
  readonly #connecting: boolean;
  #settings: Settings | undefined;
  #opened: Promise<Opened> | undefined;
  #given: Client | undefined;
  /** Ambiguous short names for which a warning was already shown. */
  readonly #warned = new Set<string>();

  /**
   * @param client the client that tests use in place of a connection
   * @param connecting whether the command connects before it asks for a namespace
   */
  constructor(flags: Flags, io: Io, client?: Client, connecting = false) {
    this.#flags = flags;
    this.#connecting = connecting;
    this.io = io;
    this.#given = client;
  }

  get settings(): Settings {
    return (this.#settings ??= readSettings(this.#flags, this.io, this.#connecting));
  }

  /** The namespace of objects that do not name one. */
  get namespace(): string {
    return this.settings.namespace;
  }

  async client(): Promise<Client> {
    return (await this.#open()).client();
  }

  /** Sends requests of any kind, without any knowledge about the server. */
  async caller(): Promise<Caller> {
    return (await this.#open()).caller;
  }

  /** The naming of the server. */
  async naming(): Promise<Naming> {
    return (await this.client()).naming;
  }

  /**
   * The stored naming of the context's server. Undefined if it is not stored, or if there is no context. Sends nothing.
   */
  async rememberedNaming(): Promise<Naming | undefined> {
    const opened = await this.#open().catch(() => undefined);
    const profile = opened?.discovery.profile;
    return profile && createNaming(profile);
  }

  /** The discovery of the server, from the cache if it is there. */
  async discovered(): Promise<Discovered> {
    return (await this.#open()).discovery.get();
  }

  /** The types that the server serves now. */
  async rediscovered(): Promise<Discovered> {
    return (await this.#open()).discovery.refresh();
  }

  /** The type that a word means. Undefined if there is none. Asks the server again before it returns undefined. */
  async typeNamed(text: string): Promise<DiscoveredType | undefined> {
    const { findType, hiddenBy } = await import('./find-type.ts');
    const type = findType(await this.discovered(), text) ?? findType(await this.rediscovered(), text);
    if (type === undefined || this.#warned.has(text)) return type;
    this.#warned.add(text);
    for (const { plural, group } of hiddenBy(await this.discovered(), text, type))
      this.io.err.write(
        `Warning: short name ${JSON.stringify(text)} could also match lower priority resource ${inGroup(plural, group)}\n`,
      );
    return type;
  }

  /** The type of an object's kind. Undefined if there is none. Asks the server again before it returns undefined. */
  async typeOf(apiVersion: string, kind: string): Promise<DiscoveredType | undefined> {
    return (await this.discovered()).ofKind(apiVersion, kind) ?? (await this.rediscovered()).ofKind(apiVersion, kind);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  async #checkPlugin(): Promise<void> {
    if (this.plugins === undefined || ['', 'AllowAll'].includes(this.plugins.policy)) return;
    const { exec, token } = this.settings.connection.user;
    if (exec === undefined || token !== undefined) return;
    const { checkPlugin } = await import('./plugin-policy.ts');
    checkPlugin(exec.command, this.plugins, this.io.env['PATH'] ?? '');
  }

  async #connect(): Promise<Opened> {
    const { open } = await import('./open.ts');
    await this.#checkPlugin();
    const opened = open(this, this.#flags, this.#given);
    if (this.#flags.bool('match-server-version')) {
      const { matchVersions } = await import('./server-version.ts');
      await opened
        .client()
        .then(matchVersions)
        .catch(async (error: unknown) => {
          await opened.close();
          throw error;
        });
    }
    return opened;
  }
}
