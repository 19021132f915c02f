import type { Authorizer } from './authorizer.ts';

const EVERYTHING = ['*'];

/** Lets every user do everything. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rules: () => ({
    resourceRules: [{ verbs: EVERYTHING, apiGroups: EVERYTHING, resources: EVERYTHING }],
    nonResourceRules: [{ verbs: EVERYTHING, nonResourceURLs: EVERYTHING }],
    incomplete: false,
    errors: [],
  }),
};
