import type { UserInfo } from '../api/user-info.ts';
import { ANONYMOUS, UNAUTHENTICATED } from './groups.ts';

/** Who makes a request without any credentials. */
export const anonymousUser: UserInfo = Object.freeze({
  name: ANONYMOUS,
  uid: '',
  groups: Object.freeze([UNAUTHENTICATED]),
  extra: Object.freeze({}),
});
