import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { ServerOptions } from './config/options.ts';
import type { Authenticate } from './http/filters/authenticate.ts';
import type { Authorize } from './http/filters/authorize.ts';
import type { Registry } from './registry/registry.ts';

export interface Identity {
  authenticate: Authenticate;
  authorize: Authorize;
  clientCa: string[];
}
export async function createIdentity(options: ServerOptions, _registry: Registry, _log: Logger): Promise<Identity> {
  const ca =
    options.authentication.clientCaFile === undefined
      ? []
      : [readFileSync(options.authentication.clientCaFile, 'utf8')];
  const tokens = new Map<string, string>();
  if (options.authentication.tokenFile)
    for (const l of readFileSync(options.authentication.tokenFile, 'utf8').split('\n')) {
      const [t, n] = l.split(',');
      if (t) tokens.set(t, n!);
    }
  return {
    clientCa: ca,
    async authenticate(context) {
      const [leaf] = context.peerCertificates();
      if (leaf) {
        const c = new X509Certificate(leaf);
        const groups: string[] = [];
        let name = '';
        for (const l of c.subject.split('\n')) {
          if (l.startsWith('O=')) groups.push(l.slice(2));
          if (l.startsWith('CN=')) name = l.slice(3);
        }
        return { name, uid: '', groups, extra: {} };
      }
      const t = context.header('authorization')?.slice(7) ?? '';
      if (tokens.has(t)) return { name: tokens.get(t)!, uid: '', groups: ['system:masters'], extra: {} };
      return { name: 'system:anonymous', uid: '', groups: [], extra: {} };
    },
    async authorize() {},
  };
}
