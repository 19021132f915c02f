import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import type { AuthenticationSettings } from '../config/authentication-options.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';
import { RepeatedWork } from './repeated-work.ts';
import { type TrustedClients, trustData } from './trusted-clients.ts';

const NAME = 'extension-apiserver-authentication';
/** The interval at which files are read again, in milliseconds. */
const LOOK_MS = 60_000;

/**
 * Keeps the config map that lists for extension servers which clients this server trusts, until the signal aborts.
 * Every replica does this, and each write is a compare-and-swap. Returns a promise that resolves when all its work has
 * ended.
 */
export function keepAuthenticationConfig(
  registry: Registry,
  settings: AuthenticationSettings,
  log: Logger,
  until: AbortSignal,
): () => Promise<void> {
  const namespace = registry.naming.prefixed('system');
  const key = `${namespace}/${NAME}`;
  const what = `the server could not update the config map ${key} and will try again`;
  const work = new RepeatedWork(() => keep(registry, namespace, settings), what, log, until);
  const forget = [
    registry.cache.onRelist(() => work.poke()),
    registry.cache.onApply((change) => {
      if (change.plural === 'configmaps' && change.group === '' && change.key === key) work.poke();
    }),
  ];
  const timer = setInterval(() => work.poke(), LOOK_MS).unref();
  work.poke();
  return async () => {
    clearInterval(timer);
    for (const end of forget) end();
    await work.ended();
  };
}

async function keep(registry: Registry, namespace: string, settings: AuthenticationSettings): Promise<void> {
  const stored = registry.stored('', 'configmaps');
  const key = `${namespace}/${NAME}`;
  const item = stored.cache.get(key);
  const object = item && (storedObject(registry, stored, item) as ConfigMap);
  const before = object?.data ?? {};
  const data = trustData(before, await trusted(settings), Date.now());
  if (isDeepStrictEqual({ ...before }, data)) return;
  if (item === undefined || object === undefined) {
    const metadata = { name: NAME, namespace, uid: randomUUID(), creationTimestamp: timestamp() };
    const value = await ownValue(registry, stored, undefined, { metadata, data });
    await registry.store.create(stored.keyPrefix + key, value);
  } else {
    const value = await ownValue(registry, stored, object, { ...object, data });
    await registry.store.update(stored.keyPrefix + key, item.revision, value);
  }
}

async function trusted({ clientCaFile, frontProxy }: AuthenticationSettings): Promise<TrustedClients> {
  return {
    clientCa: clientCaFile === undefined ? undefined : await readFile(clientCaFile, 'utf8'),
    frontProxy: frontProxy && { ...frontProxy, ca: await readFile(frontProxy.caFile, 'utf8') },
  };
}
