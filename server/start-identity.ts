import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { ServerOptions } from './config/options.ts';
import type { Authenticate } from './http/filters/authenticate.ts';
import type { UserInfo } from './http/request-context.ts';

/** Who the users of this server are. */
export interface Identity {
  readonly authenticate: Authenticate;
  /** PEM of the authorities whose client certificates are asked for. */
  readonly clientCa: readonly string[];
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANONYMOUS: UserInfo = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };

function certificatesIn(pem: string): X509Certificate[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );
}

/** The user of a client certificate that one of the authorities signed, valid now and meant for clients. */
function certificateUser(der: Buffer, authorities: readonly X509Certificate[]): UserInfo | undefined {
  const leaf = new X509Certificate(der);
  const now = Date.now();
  const signed = authorities.some((ca) => leaf.checkIssued(ca) && leaf.verify(ca.publicKey));
  const usages = leaf.keyUsage as string[] | undefined;
  const meant = usages === undefined || usages.includes(CLIENT_AUTH);
  if (!signed || !meant || Date.parse(leaf.validFrom) > now || Date.parse(leaf.validTo) < now) return undefined;
  const lines = leaf.subject.split('\n');
  const name = lines.find((line) => line.startsWith('CN='))?.slice(3) ?? '';
  const groups = lines.filter((line) => line.startsWith('O=')).map((line) => line.slice(2));
  return name === '' ? undefined : { name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Tokens of a file `token,user,uid[,"group,group"]`, kept as digests. */
function readTokens(file: string): { digest: Buffer; user: UserInfo }[] {
  const rows = parse(readFileSync(file), {
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  }) as string[][];
  return rows.map(([token = '', name = '', uid = '', groups = '']) => ({
    digest: digest(token),
    user: { name, uid, groups: [...groups.split(',').filter(Boolean), 'system:authenticated'], extra: {} },
  }));
}

/** Client certificates and static tokens. */
export function createIdentity(options: ServerOptions): Identity {
  const { clientCaFile, tokenFile } = options.authentication;
  const clientCa = clientCaFile === undefined ? [] : [readFileSync(clientCaFile, 'utf8')];
  const authorities = clientCa.flatMap(certificatesIn);
  const tokens = tokenFile === undefined ? [] : readTokens(tokenFile);
  const known = new WeakMap<Buffer, UserInfo>();
  return {
    clientCa,
    async authenticate(context) {
      const [leaf] = context.peerCertificates();
      if (leaf !== undefined) {
        const user = known.get(leaf) ?? certificateUser(leaf, authorities);
        if (user !== undefined) {
          known.set(leaf, user);
          return user;
        }
      }
      const bearer = /^Bearer (\S+)/i.exec(context.header('authorization') ?? '')?.[1];
      if (bearer === undefined) return leaf === undefined ? ANONYMOUS : undefined;
      const sent = digest(bearer);
      let found: UserInfo | undefined;
      for (const token of tokens) if (timingSafeEqual(token.digest, sent)) found = token.user;
      return found;
    },
  };
}
