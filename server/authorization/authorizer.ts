import type { Attributes } from '../api/attributes.ts';
import type { UserInfo } from '../api/user-info.ts';
import { MASTERS } from '../authentication/groups.ts';

/** The decision of an authorizer. `error` is set if it could not read everything. */
export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion';
  /** The reason for people; '' if there is none. */
  readonly reason: string;
  readonly error?: string;
}

/** The allowed uses of resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The allowed uses of other paths. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The listed rights. `incomplete` means that some are missing, for the reasons in `errors`. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** One mode of authorization. */
export interface Authorizer {
  /** The prefix of its reasons if several modes give reasons. Absent means no prefix. */
  readonly name?: string;
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /** The permissions of a user in a namespace, as far as they can be listed. */
  rules(user: UserInfo, namespace: string): Rules;
}

export const NO_OPINION: Decision = { verdict: 'no-opinion', reason: '' };

const ALLOWED: Decision = { verdict: 'allow', reason: '' };

/** Allows everything to cluster administrators, and has no opinion about other users. */
export const masters = {
  authorize: ({ user }: Attributes): Decision => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
  rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
} satisfies Authorizer;

/** Several errors in one text, each once. If there are several, the text is in brackets. */
export function joinErrors(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
}

/**
 * Calls authorizers in order. The first one that allows or denies decides, even after the failure of an earlier one. If
 * none decides, the answer joins all reasons and errors.
 */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes) {
      const reasons: string[] = [];
      const errors: string[] = [];
      for (const authorizer of authorizers) {
        const { name } = authorizer;
        const decision = await authorizer.authorize(attributes);
        const { verdict, reason, error } = decision;
        if (verdict !== 'no-opinion') return decision;
        if (error !== undefined) errors.push(error);
        if (reason !== '') reasons.push(name === undefined ? reason : `${name}: ${reason}`);
      }
      const failed = errors.length === 0 ? {} : { error: joinErrors(errors) };
      return { verdict: 'no-opinion', reason: reasons.join('\n'), ...failed };
    },
    rules(user, namespace) {
      const all = authorizers.map((authorizer) => authorizer.rules(user, namespace));
      return {
        resourceRules: all.flatMap((rules) => rules.resourceRules),
        nonResourceRules: all.flatMap((rules) => rules.nonResourceRules),
        incomplete: all.some((rules) => rules.incomplete),
        errors: all.flatMap((rules) => rules.errors),
      };
    },
  };
}
