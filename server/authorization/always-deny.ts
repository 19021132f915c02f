import type { Authorizer } from './authorizer.ts';

/** Allows nobody anything; later modes still may. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ verdict: 'no-opinion', reason: 'Everything is forbidden.' }),
  rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
};
