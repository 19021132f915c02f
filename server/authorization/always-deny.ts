import type { Authorizer } from './authorizer.ts';

/** Allows no request by itself. An authorizer later in the chain still may allow it. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: 'no-opinion', reason: 'Everything is forbidden.' }),
  rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
};
