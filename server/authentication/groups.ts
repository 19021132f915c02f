import type { UserInfo } from '../api/user-info.ts';

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group whose members have all rights, in every authorization mode. */
export const MASTERS = 'system:masters';

/** The user of a request without credentials. */
export const anonymousUser: UserInfo = Object.freeze({
  name: ANONYMOUS,
  uid: '',
  groups: Object.freeze([UNAUTHENTICATED]),
  extra: Object.freeze({}),
});

/** Adds the group of all authenticated users, unless the user is anonymous or is already in one of the two groups. */
export function addAuthenticated(user: UserInfo): UserInfo {
  const { name, groups } = user;
  if (name === ANONYMOUS || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED] };
}
