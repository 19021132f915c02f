import { badRequest } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { AccessTarget } from '../api/access.ts';
import { parseServiceAccountUser, serviceAccountGroups } from '../api/service-account-name.ts';
import type { UserInfo } from '../api/user-info.ts';
import { extraHeaders, headerText, type RequestHeaders } from './authenticator.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './groups.ts';

/** The requested user of an impersonation, and the permissions that the caller needs for it. */
export interface Impersonation {
  readonly user: UserInfo;
  /**
   * The permissions with the verb `impersonate` that the caller needs, in the order of the checks.
   */
  readonly checks: readonly AccessTarget[];
}

const PREFIX = 'impersonate-';
const EXTRA = `${PREFIX}extra-`;

/** Whether {@link requestedImpersonation} would find a header in a list of names (lower case). */
export function mayImpersonate(headers: object): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

/**
 * The user that the headers request; undefined without impersonation.
 *
 * @throws StatusError (400) if no user is named
 */
export function requestedImpersonation(headers: RequestHeaders, naming: Naming): Impersonation | undefined {
  const first = (header: string) => headerText(headers[header]?.[0] ?? '');
  const name = first('impersonate-user');
  const uid = first('impersonate-uid');
  const groups = (headers['impersonate-group'] ?? []).map(headerText);
  const extra = extraHeaders(headers, [EXTRA]);
  if (name === '') {
    if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
    throw badRequest('groups, uid and extras can be impersonated only together with a user');
  }
  const account = parseServiceAccountUser(name);
  const core = { group: '', version: 'v1', subresource: '', namespace: '' };
  const identity = { ...core, group: naming.group('authentication') };
  const checks: AccessTarget[] = [
    account === undefined
      ? { ...core, resource: 'users', name }
      : { ...core, resource: 'serviceaccounts', namespace: account.namespace, name: account.name },
    ...groups.map((group) => ({ ...core, resource: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({ ...identity, resource: 'userextras', subresource: key, name: value })),
    ),
  ];
  if (uid !== '') checks.push({ ...identity, resource: 'uids', name: uid });
  const implied = account !== undefined && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  return { user: { name, uid, groups: completeGroups(name, implied), extra }, checks };
}

function completeGroups(name: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(UNAUTHENTICATED)) return groups;
  if (name === ANONYMOUS) return [...groups, UNAUTHENTICATED];
  return groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
