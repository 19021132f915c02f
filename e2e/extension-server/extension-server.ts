import { pino } from 'pino';
import type { Naming } from '#base/naming/naming.ts';
import { connect } from '#client/client.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { wordsSource } from '#schema/words/load.ts';
import { plainText } from '#server/api/answer.ts';
import { attributesOf } from '#server/api/attributes.ts';
import { type Authenticate, type Authorize, chain } from '#server/api/filter.ts';
import { tokenWebhookAuthenticator } from '#server/authentication/token-webhook.ts';
import { authentication } from '#server/authentication/union.ts';
import { masters, union } from '#server/authorization/authorizer.ts';
import { refusal } from '#server/authorization/refusal.ts';
import { webhookAuthorizer } from '#server/authorization/webhook.ts';
import { MemoryStore } from '#server/cache/testing/memory-store.ts';
import { WatchCache } from '#server/cache/watch-cache.ts';
import { createFeatureGates } from '#server/config/feature-gates.ts';
import { createApp } from '#server/http/app.ts';
import { dispatcher } from '#server/http/dispatch.ts';
import { authenticateFilter, authorizeFilter } from '#server/http/filters/access.ts';
import { listen } from '#server/http/listener.ts';
import { createResponder } from '#server/http/respond.ts';
import { Discovery } from '#server/http/routes/discovery.ts';
import { documentTypes, openapiAnswer } from '#server/http/routes/openapi.ts';
import { ServedDocuments } from '#server/openapi/served-documents.ts';
import { reviewClient } from '#server/outbound/review-client.ts';
import { readWebhookConnection } from '#server/outbound/webhook-connection.ts';
import { Registry } from '#server/resources/registry.ts';
import { resourceHandlers } from '#server/verbs/resource-handlers.ts';
import { books } from './books.ts';
import { knownNamespaces } from './known-namespaces.ts';
import { TrustedProxy } from './trusted-proxy.ts';

/** The options of an extension server. */
export interface ExtensionServerOptions {
  /** The name of the group that it serves. */
  readonly group: string;
  /** The file for the connection to the main server, which also identifies the user. */
  readonly connectionFile: string;
  /** The certificate for the name of its service. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface RunningExtensionServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** The time for which answers of the main server are used, in milliseconds. */
const ALLOWED_MS = 10_000;
const REFUSED_MS = 1_000;
const PREFIX = '/registry';

/**
 * Serves `books` of a group behind TLS, from memory. It consists of the listener, filters, dispatch, verbs and
 * documents of the API server, without its kinds. The main server authenticates and authorizes clients, and knows the
 * namespaces.
 */
export async function startExtensionServer(options: ExtensionServerOptions): Promise<RunningExtensionServer> {
  const { group, connectionFile, certFile, keyFile } = options;
  const log = pino({ level: 'silent' });
  const leaving = new AbortController();
  const client = await connect(readConnection(connectionFile));
  const { naming } = client;
  const proxy = new TrustedProxy(client, leaving.signal, log);

  const schema = { ...loadSchema(naming), groupVersions: [] };
  const store = new MemoryStore();
  const cache = new WatchCache({ store, prefix: PREFIX, resources: [], log });
  const registry = new Registry({
    schema,
    naming,
    gates: createFeatureGates(new Map()),
    store,
    cache,
    rules: new Map(),
    etcdPrefix: PREFIX,
    enabled: () => true,
    options: { allowPrivileged: false, collectsGarbage: false, deleteWorkers: 1, minWatchSeconds: 1800 },
    admission: () => knownNamespaces(client),
  });
  const defined = books(group, naming, schema);
  registry.setCustom([{ name: defined.group, resources: [defined] }]);
  await cache.start();

  const documents = new ServedDocuments(registry, wordsSource(naming));
  const discovery = new Discovery(registry, 'localhost');
  const types = documentTypes(schema.release);
  const routes: Parameters<typeof dispatcher>[2] = async (context) =>
    (await openapiAnswer(context, types, () => documents.now())) ?? (await discovery.answer(context));
  const review = reviewsBy(connectionFile, naming);
  const filters = [
    authenticateFilter(authenticator(proxy, review, naming)),
    authorizeFilter(authorizer(review, naming)),
  ];
  const respond = createResponder({
    registry,
    handler: chain(filters, dispatcher(registry, resourceHandlers(registry, new Map()), routes)),
    log,
    leaving: leaving.signal,
    requestTimeoutMs: 60_000,
    finished() {},
    streamOpened: () => () => {},
    watchOpened: () => ({ sent() {}, ended() {} }),
  });
  const listener = await listen(createApp(respond), {
    certFile,
    keyFile,
    tls: { minVersion: 'TLSv1.2', ciphers: undefined },
    clientCa: () => proxy.authorities,
    address: '127.0.0.1',
    port: 0,
    log,
  });
  return {
    port: listener.port,
    async stop() {
      leaving.abort();
      await listener.drain();
      await cache.stop();
      await client.close();
    },
  };
}

type Reviews = (group: string, plural: string) => ReturnType<typeof reviewClient>;

/** Sends reviews to the main server. */
function reviewsBy(connectionFile: string, naming: Naming): Reviews {
  const connection = readWebhookConnection(connectionFile, () => {});
  return (group, plural) =>
    reviewClient({ ...connection, server: `${connection.server}/apis/${naming.apiVersion(group, 'v1')}/${plural}` });
}

/**
 * Authenticates requests. The front proxy names the user of a request. A client that connects directly proves its
 * identity with a token, which the main server checks.
 */
function authenticator(proxy: TrustedProxy, review: Reviews, naming: Naming): Authenticate {
  const audiences: string[] = [];
  const client = review('authentication', 'tokenreviews');
  const { user } = authentication({
    request: [proxy.authenticate],
    token: [tokenWebhookAuthenticator({ client, version: 'v1', cacheMs: ALLOWED_MS, audiences, naming })],
    anonymous: () => false,
    audiences,
    webSocketTokenPrefix: `${naming.domain('base64url.bearer.authorization')}.`,
  });
  return (context) =>
    user({
      headers: context.raw().request.headersDistinct,
      path: context.info.path,
      peerCertificates: context.peerCertificates(),
      warn: (text) => context.warnings.add(text),
    });
}

/** Authorizes requests. The main server decides on the rights of users. */
function authorizer(review: Reviews, naming: Naming): Authorize {
  const client = review('authorization', 'subjectaccessreviews');
  const times = { allowedMs: ALLOWED_MS, refusedMs: REFUSED_MS };
  const modes = union([masters, webhookAuthorizer({ client, version: 'v1', ...times, naming })]);
  return async (context) => {
    const attributes = attributesOf(context);
    const { verdict, reason, error } = await modes.authorize(attributes);
    if (verdict === 'allow') return undefined;
    if (error !== undefined) return plainText(500, `Internal Server Error: ${error}\n`);
    throw refusal(attributes, reason);
  };
}
