import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { VersionElsewhere, VersionsElsewhere } from '../api/versions-elsewhere.ts';
import type { KnownApiService } from './api-services.ts';
import { aggregatorName, askServer, type ServerAnswer } from './ask-server.ts';
import { fromAggregated, fromList } from './discovered-resources.ts';
import type { ExtensionServers } from './extension-servers.ts';

/** The answer of one server. */
interface Heard {
  readonly uid: string;
  /** The ETag of the server's document of all groups. */
  etag: string | undefined;
  entry: VersionElsewhere;
}

/**
 * The resources of extension servers, for the aggregated discovery document. They are read in the background whenever a
 * server is found available. They are kept while the server does not answer.
 */
export class RemoteDiscovery {
  readonly #servers: ExtensionServers;
  readonly #userName: string;
  readonly #accept: string;
  /** The keys have the form `group/version`. */
  readonly #heard = new Map<string, Heard>();
  #published: VersionsElsewhere = new Map();

  constructor(servers: ExtensionServers, naming: Naming) {
    this.#servers = servers;
    this.#userName = aggregatorName(naming);
    const form = `application/json;g=${naming.group('apidiscovery')};as=APIGroupDiscoveryList`;
    this.#accept = ['v2', 'v2beta1'].map((version) => `${form};v=${version}`).join(',');
  }

  /** The currently known documents. */
  get published(): VersionsElsewhere {
    return this.#published;
  }

  /** Removes unregistered servers, and marks documents that may be outdated. */
  update(remote: ReadonlyMap<string, KnownApiService>, isAvailable: (known: KnownApiService) => boolean): void {
    for (const [key, heard] of this.#heard) {
      const known = remote.get(key);
      if (known?.item.uid !== heard.uid) this.#heard.delete(key);
      else this.#set(heard, heard.entry.resources, !isAvailable(known));
    }
    this.#publish();
  }

  /**
   * Handles the list of resources in the answer of a server. The server's document about all groups takes precedence.
   * Never rejects.
   */
  async refresh(known: KnownApiService, list: ServerAnswer, signal: AbortSignal): Promise<void> {
    const { group = '', version = '' } = known.object.spec ?? {};
    const key = `${group}/${version}`;
    const { uid } = known.item;
    const before = this.#heard.get(key);
    const heard = before?.uid === uid ? before : { uid, etag: undefined, entry: { resources: [], stale: false } };
    const resources = (await this.#ask(known, heard, signal)) ?? (heard.etag === undefined ? listed(list) : undefined);
    if (signal.aborted) return;
    if (resources !== undefined) {
      this.#heard.set(key, heard);
      this.#set(heard, resources, false);
      this.#publish();
    }
  }

  /** The discovery document of the server for all groups; undefined if it has not changed or is not available. */
  async #ask(known: KnownApiService, heard: Heard, signal: AbortSignal): Promise<JsonObject[] | undefined> {
    const { group = '', version = '' } = known.object.spec ?? {};
    try {
      const { userName, accept, etag } = { userName: this.#userName, accept: this.#accept, etag: heard.etag };
      const answer = await askServer(this.#servers.backend(known), '/apis', { userName, accept, etag, signal });
      if (answer.status === 304) return [...heard.entry.resources];
      const resources = answer.status === 200 ? fromAggregated(parsed(answer), group, version) : undefined;
      heard.etag = resources && answer.headers.etag;
      return resources;
    } catch {
      return undefined;
    }
  }

  #set(heard: Heard, resources: readonly JsonObject[], stale: boolean): void {
    const { entry } = heard;
    if (entry.stale === stale && isDeepStrictEqual(entry.resources, resources)) return;
    heard.entry = { resources, stale };
  }

  #publish(): void {
    this.#published = new Map([...this.#heard].map(([key, { entry }]) => [key, entry]));
  }
}

function listed(answer: ServerAnswer): JsonObject[] | undefined {
  try {
    return fromList(parsed(answer));
  } catch {
    return undefined;
  }
}

function parsed({ body }: ServerAnswer): unknown {
  return JSON.parse(body.toString());
}
