import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Client } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { ManagerFlags } from '../controller.ts';
import { type Authorities, readAuthorities } from './visitors.ts';

/** The interval at which the program asks the API server and reads the files again. */
const EVERY_MS = 60_000;

/**
 * Finds out which certificate authorities the API server trusts for clients. The server publishes them in a config map.
 * The result is kept up to date until the signal aborts. Flags take precedence.
 */
export function learnAuthorities(
  client: Client,
  flags: ManagerFlags,
  log: Logger,
  signal: AbortSignal,
): () => Authorities {
  let known: Authorities = {
    client: [],
    proxy: [],
    proxyNames: flags.get('requestheader-allowed-names'),
    userHeaders: flags.get('requestheader-username-headers'),
    groupHeaders: flags.get('requestheader-group-headers'),
    extraPrefixes: flags.get('requestheader-extra-headers-prefix'),
  };
  const files = { client: flags.get('client-ca-file'), proxy: flags.get('requestheader-client-ca-file') };
  const look = async (): Promise<void> => {
    const next: { -readonly [Name in keyof Authorities]: Authorities[Name] } = { ...known };
    if (files.client !== '') next.client = readAuthorities(readFileSync(files.client, 'utf8'));
    if (files.proxy !== '') next.proxy = readAuthorities(readFileSync(files.proxy, 'utf8'));
    if ((files.client === '' || files.proxy === '') && !flags.get('authentication-skip-lookup')) {
      const maps = client.resource(coreV1.configmaps).in(flags.naming.prefixed('system'));
      const data = await maps.get('extension-apiserver-authentication', { signal }).then(
        (map) => map.data ?? {},
        (error) => {
          if (isNotFound(error)) return {} as Record<string, string>;
          throw error;
        },
      );
      const list = (name: string) => JSON.parse(data[`requestheader-${name}`] || '[]') as string[];
      if (files.client === '') next.client = readAuthorities(data['client-ca-file'] ?? '');
      if (files.proxy === '') {
        next.proxy = readAuthorities(data['requestheader-client-ca-file'] ?? '');
        if (next.proxy.length > 0) {
          next.proxyNames = list('allowed-names');
          next.userHeaders = list('username-headers');
          next.groupHeaders = list('group-headers');
          next.extraPrefixes = list('extra-headers-prefix');
        }
      }
    }
    known = next;
  };
  const tell = (err: unknown) => {
    if (!signal.aborted)
      log.warn({ err }, 'the certificate authorities for clients cannot be read; the next attempt follows');
  };
  void look().catch(tell);
  const timer = setInterval(() => void look().catch(tell), EVERY_MS);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return () => known;
}
