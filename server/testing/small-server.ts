import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { pathNotFound } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { NamingProfile } from '#base/naming/naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import { wordsSource } from '#schema/words/load.ts';
import type { AdmissionChain } from '../api/admission.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { MemoryStore } from '../cache/testing/memory-store.ts';
import { quietLog } from '../cache/testing/objects.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { createApp } from '../http/app.ts';
import { dispatcher } from '../http/dispatch.ts';
import { createResponder } from '../http/respond.ts';
import { Discovery } from '../http/routes/discovery.ts';
import { documentTypes, openapiAnswer } from '../http/routes/openapi.ts';
import { ServedDocuments } from '../openapi/served-documents.ts';
import { POLICY_MARKER } from '../resources/policy-marker.ts';
import { type SpecialHandlers, specialKey, viewKey } from '../resources/registration.ts';
import { Registry } from '../resources/registry.ts';
import { scaleHandler } from '../subresources/scale.ts';
import { resourceHandlers } from '../verbs/resource-handlers.ts';

/** An answer. If its body is JSON, it is parsed. */
export interface SmallAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any kind
  readonly json: any;
  readonly text: string;
}

/**
 * The verbs and documents over an in-memory store, without users, rules of kinds or admission, for tests of the HTTP
 * interface. The namespace `default` exists.
 */
export class SmallServer {
  readonly store = new MemoryStore();
  readonly registry: Registry;
  readonly cache: WatchCache;
  readonly #server: http.Server;
  readonly #leaving = new AbortController();

  constructor(profile: NamingProfile = 'orch', admission: Partial<AdmissionChain> = {}, release = defaultRelease) {
    const naming = createNaming(profile);
    const schema = loadSchema(naming, release);
    const resources = new Map<string, { group: string; plural: string }>();
    for (const { storage } of schema.groupVersions.flatMap((version) => version.resources))
      if (storage !== undefined) resources.set(storageId(storage.group, storage.plural), storage);
    this.store.put('/registry/core/namespaces/default', namespace('default'));
    this.cache = new WatchCache({
      store: this.store,
      prefix: '/registry',
      resources: [...resources.values(), POLICY_MARKER],
      log: quietLog,
    });
    this.registry = new Registry({
      schema,
      naming,
      gates: createFeatureGates(new Map()),
      store: this.store,
      cache: this.cache,
      rules: new Map(),
      etcdPrefix: '/registry',
      enabled: (_group, _version, _resource, byDefault) => byDefault,
      options: { allowPrivileged: true, collectsGarbage: true, deleteWorkers: 1, minWatchSeconds: 60 },
      admission: () => ({ async mutate() {}, async validate() {}, ...admission }),
    });
    const { registry } = this;
    const discovery = new Discovery(registry, 'localhost');
    const documents = new ServedDocuments(registry, wordsSource(registry.naming));
    const types = documentTypes(registry.schema.release);
    const respond = createResponder({
      registry,
      handler: dispatcher(
        registry,
        resourceHandlers(registry, handlersOf(registry)),
        async (context) =>
          (await openapiAnswer(context, types, () => documents.now())) ?? (await discovery.answer(context)),
      ),
      log: pino({ level: 'silent' }),
      leaving: this.#leaving.signal,
      requestTimeoutMs: 60_000,
      finished() {},
      streamOpened: () => () => {},
      watchOpened: () => ({ sent() {}, ended() {} }),
    });
    this.#server = http.createServer(createApp(respond));
  }

  async start(): Promise<this> {
    await this.cache.start();
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<SmallAnswer> {
    const answer = await this.open(method, path, body, headers);
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** The answer as a stream. */
  open(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
    const { port } = this.#server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.cache.stop();
    await this.store.close();
  }
}

/** Answers scales. All other resources and subresources without a stored object get 404. */
function handlersOf(registry: Registry): SpecialHandlers {
  const nowhere: ResourceHandler = async () => {
    throw pathNotFound();
  };
  const handlers = new Map<string, ResourceHandler>([[viewKey('Scale'), scaleHandler(registry)]]);
  for (const { storage, subresources, ...type } of registry.schema.groupVersions.flatMap(
    (version) => version.resources,
  )) {
    const identity = storage ?? type;
    if (storage === undefined) handlers.set(specialKey(identity, ''), nowhere);
    for (const { name, kind } of subresources)
      if (kind !== type.kind && kind !== 'Scale') handlers.set(specialKey(identity, name), nowhere);
  }
  return handlers;
}

function namespace(name: string): string {
  return JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name, uid: name }, spec: {}, status: {} });
}
