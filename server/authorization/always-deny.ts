import type { Authorizer } from './authorizer.ts';

/** Never allows a request itself. A later authorizer in the chain may still allow it. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: 'no-opinion', reason: 'Everything is forbidden.' }),
  rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
};
