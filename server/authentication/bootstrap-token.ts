import type { Naming } from '#base/naming/naming.ts';
import { equalSecrets } from '#base/text/equal-secrets.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { ensureFresh, type ObjectReader } from '../resources/object-reader.ts';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

interface Secret extends ApiObject {
  type?: string;
  data?: Record<string, string>;
}

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = 'system:bootstrappers';
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Authenticates tokens by which new machines join. A token is `id.secret`, and is kept in a secret of the system
 * namespace.
 */
export function bootstrapTokenAuthenticator(
  reader: ObjectReader,
  naming: Naming,
  now: () => number = Date.now,
): TokenAuthenticator {
  const namespace = naming.prefixed('system');
  const type = naming.key('bootstrap/token');
  const check = (id: string, secret: string): Authenticated | undefined => {
    const stored = reader.get<Secret>('', 'secrets', namespace, `bootstrap-token-${id}`);
    if (stored === undefined || stored.type !== type || stored.metadata.deletionTimestamp) return undefined;
    const field = (name: string) => Buffer.from(stored.data?.[name] ?? '', 'base64').toString('utf8');
    if (!equalSecrets(field('token-secret'), secret) || field('token-id') !== id) return undefined;
    if (field('usage-bootstrap-authentication') !== 'true' || expired(field('expiration'), now())) return undefined;
    const groups = extraGroups(field('auth-extra-groups'));
    if (groups === undefined) return undefined;
    return { user: { name: `system:bootstrap:${id}`, uid: '', groups: [GROUP, ...groups], extra: {} } };
  };
  return async (token) => {
    const [, id, secret] = form.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    await ensureFresh(reader);
    const found = check(id, secret);
    if (found !== undefined) return found;
    await reader.confirm();
    return check(id, secret);
  };
}

/** Whether a time has passed. A malformed time counts as passed. */
function expired(text: string, now: number): boolean {
  if (text === '') return false;
  const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  return !(time > now);
}

/** The groups of a list, in order and each once; undefined if one of them is not allowed. */
function extraGroups(text: string): string[] | undefined {
  const groups = text === '' ? [] : text.split(',');
  return groups.every((group) => extraGroup.test(group)) ? [...new Set(groups)].sort() : undefined;
}
