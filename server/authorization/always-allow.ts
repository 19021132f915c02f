import type { Authorizer } from './authorizer.ts';

const EVERYTHING = ['*'];

/** Allows every request. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rules: () => ({
    resourceRules: [{ verbs: EVERYTHING, apiGroups: EVERYTHING, resources: EVERYTHING }],
    nonResourceRules: [{ verbs: EVERYTHING, nonResourceURLs: EVERYTHING }],
    incomplete: false,
    errors: [],
  }),
};
