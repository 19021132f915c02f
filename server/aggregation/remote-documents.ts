import { isObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { fairTurn } from '#base/time/fair-turn.ts';
import { ConvertedDocument } from '../openapi/convert-v2.ts';
import { joinDocument, packMaps } from '../openapi/document-forms.ts';
import { ForeignDocument } from '../openapi/foreign-document.ts';
import type { DocumentsElsewhere } from '../openapi/openapi.ts';
import { pack, packedHash } from '../openapi/pack.ts';
import { PublishedDocument } from '../openapi/published-document.ts';
import type { Backend } from '../outbound/backend.ts';
import type { KnownApiService } from './api-services.ts';
import { aggregatorName, askServer } from './ask-server.ts';
import type { ExtensionServers } from './extension-servers.ts';

const INDEX = '/openapi/v3';
const WHOLE = '/openapi/v2';
/** The largest document. A larger one is refused, because reading it would delay other work. */
const MAX_DOCUMENT = 8 << 20;
const PROTOBUF = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
/** The shortest time between two requests to a server, in milliseconds. */
const ASK_MS = 60_000;

interface Fetched {
  readonly uid: string;
  askedAt: number;
  /** The ETag of the server's list of documents. */
  etag: string | undefined;
  document: PublishedDocument | undefined;
  /** Whether the server has no v3 document. If so, its v2 document is also published as v3. */
  hasOnlyV2: boolean;
  /** The ETag of the server's v2 document. */
  wholeEtag: string | undefined;
  whole: ForeignDocument | undefined;
}

/**
 * The OpenAPI documents of extension servers. They are fetched in the background, and kept while the servers do not
 * answer.
 */
export class RemoteDocuments implements DocumentsElsewhere {
  readonly #servers: ExtensionServers;
  readonly #userName: string;
  /** The keys have the form `group/version`. */
  readonly #fetched = new Map<string, Fetched>();
  #published: ReadonlyMap<string, PublishedDocument> = new Map();
  #foreign: readonly ForeignDocument[] = [];

  constructor(servers: ExtensionServers, naming: Naming) {
    this.#servers = servers;
    this.#userName = aggregatorName(naming);
  }

  /** The currently known documents by their keys: `apis/GROUP/VERSION`. */
  get published(): ReadonlyMap<string, PublishedDocument> {
    return this.#published;
  }

  /**
   * The documents of extension servers for the single document of v2. It is the same array until one of them changes.
   */
  get foreign(): readonly ForeignDocument[] {
    return this.#foreign;
  }

  /** Removes the documents of servers that are no longer registered. */
  keepOnly(remote: ReadonlyMap<string, KnownApiService>): void {
    for (const [key, { uid }] of this.#fetched) if (remote.get(key)?.item.uid !== uid) this.#fetched.delete(key);
    this.#publish();
  }

  /** Fetches the document of an available server when it is due. Never rejects. */
  async refresh(known: KnownApiService, signal: AbortSignal): Promise<void> {
    const { group = '', version = '' } = known.object.spec ?? {};
    const key = `${group}/${version}`;
    const now = performance.now();
    let fetched = this.#fetched.get(key);
    if (fetched?.uid !== known.item.uid) {
      fetched = {
        uid: known.item.uid,
        askedAt: Number.NEGATIVE_INFINITY,
        etag: undefined,
        document: undefined,
        hasOnlyV2: false,
        wholeEtag: undefined,
        whole: undefined,
      };
      this.#fetched.set(key, fetched);
    }
    if (now - fetched.askedAt < ASK_MS) return;
    fetched.askedAt = now;
    for (const fetch of [this.#fetch, this.#fetchWhole]) {
      try {
        if (await fetch.call(this, this.#servers.backend(known), `apis/${key}`, fetched, signal)) this.#publish();
      } catch {
        // The known documents stay. The next attempt follows later.
      }
    }
  }

  /** Fetches the documents. Resolves to whether one of them is new. */
  async #fetch(backend: Backend, key: string, fetched: Fetched, signal: AbortSignal): Promise<boolean> {
    const options = { userName: this.#userName, signal };
    const index = await askServer(backend, INDEX, { ...options, etag: fetched.etag });
    fetched.hasOnlyV2 = index.status === 404;
    if (index.status !== 200) return false;
    const address = addressIn(index.body, key);
    if (address === undefined) return false;
    const [, hash = ''] = /[?&]hash=([\w-]{1,128})(?:&|$)/.exec(address) ?? [];
    if (hash !== '' && hash === fetched.document?.hash) {
      fetched.etag = index.headers.etag;
      return false;
    }
    const whole = { ...options, maxBytes: MAX_DOCUMENT };
    const json = await askServer(backend, address, whole);
    if (json.status !== 200 || !isObject(JSON.parse(json.body.toString()))) return false;
    // Parsing a large text has used up this turn of the event loop.
    await fairTurn();
    const packed = await pack([json.body]);
    const protobuf = await askServer(backend, address, { ...whole, accept: PROTOBUF });
    // A server that knows only JSON answers with 406 or with JSON.
    const hasProtobuf = protobuf.status === 200 && !protobuf.body.equals(json.body) && protobuf.body[0] !== OPEN_BRACE;
    const own = hash === '' ? packedHash(packed) : hash;
    fetched.document = PublishedDocument.of(own, packed, hasProtobuf ? await pack([protobuf.body]) : undefined);
    fetched.etag = index.headers.etag;
    return true;
  }

  /** Fetches the document of v2. Resolves to whether it is new. */
  async #fetchWhole(backend: Backend, key: string, fetched: Fetched, signal: AbortSignal): Promise<boolean> {
    const options = { userName: this.#userName, signal, etag: fetched.wholeEtag, maxBytes: MAX_DOCUMENT };
    const answer = await askServer(backend, WHOLE, options);
    if (answer.status !== 200) return false;
    const whole = await ForeignDocument.read(key, answer.body);
    const isNew = whole?.hash !== fetched.whole?.hash;
    fetched.whole = whole;
    const converted = fetched.hasOnlyV2 && (await this.#convert(answer.body, fetched));
    fetched.wholeEtag = answer.headers.etag;
    return isNew || converted;
  }

  /** Publishes a document of v2 also in the form of v3. Returns whether it is new. */
  async #convert(body: Buffer, fetched: Fetched): Promise<boolean> {
    // A turn of the event loop that parses a large text does no other work.
    await fairTurn();
    const value: unknown = JSON.parse(body.toString());
    if (!isObject(value)) return false;
    await fairTurn();
    const { skeleton, maps } = new ConvertedDocument(value);
    const form = async (encoding: 'json' | 'protobuf') =>
      joinDocument('v3', encoding, skeleton, [await packMaps('v3', encoding, maps)]);
    const json = await form('json');
    const hash = packedHash(json);
    if (hash === fetched.document?.hash) return false;
    fetched.document = PublishedDocument.of(hash, json, await form('protobuf'));
    return true;
  }

  #publish(): void {
    const foreign = [...this.#fetched.values()].flatMap(({ whole }) => (whole === undefined ? [] : [whole]));
    const same = foreign.length === this.#foreign.length && foreign.every((one, i) => one === this.#foreign[i]);
    if (!same) this.#foreign = foreign;
    const known: [string, PublishedDocument][] = [];
    for (const [key, { document }] of this.#fetched) if (document !== undefined) known.push([`apis/${key}`, document]);
    this.#published = new Map(known);
  }
}

const OPEN_BRACE = 0x7b;

/** The address of a document in a server's list of documents. It must be a path at that server. */
function addressIn(index: Buffer, key: string): string | undefined {
  const value: unknown = JSON.parse(index.toString());
  const paths = isObject(value) ? value['paths'] : undefined;
  const entry = isObject(paths) && Object.hasOwn(paths, key) ? paths[key] : undefined;
  const address = isObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof address === 'string' && /^\/openapi\/v3\/[!-~]*$/.test(address) ? address : undefined;
}
