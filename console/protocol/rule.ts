// The rule that refused a request, as JSON.

/**
 * An object of a rule, with the id of its kind for a link; the id is undefined if the server does not serve the kind.
 */
export interface RuleObject {
  readonly what: string;
  readonly name: string;
  readonly namespace: string;
  readonly id: string | undefined;
}

/** A resource that a quota counts, as the server wrote the numbers. */
export interface QuotaNumbers {
  readonly resource: string;
  readonly requested: string;
  readonly used: string;
  readonly limited: string;
}

/** The rule that refused a request: the server's message, and the parts of the rule that the user may read. */
export type Rule =
  | {
      readonly kind: 'authorization';
      readonly user: string;
      readonly groups: readonly string[];
      readonly verb: string;
      /** `pods`, `pods/log`, or a path. */
      readonly on: string;
      readonly group: string;
      /** '' for the whole cluster. */
      readonly namespace: string;
      readonly name: string;
      /** Further text of the authorizers, such as a missing role. */
      readonly reason: string;
      /** A role and a binding that would give the right, as YAML. */
      readonly grant: string;
    }
  | { readonly kind: 'escalation'; readonly rules: readonly string[] }
  | {
      readonly kind: 'quota';
      readonly quota: RuleObject;
      readonly numbers: readonly QuotaNumbers[];
    }
  | {
      readonly kind: 'policy';
      readonly policy: RuleObject;
      readonly binding: RuleObject;
      readonly message: string;
    }
  | {
      readonly kind: 'webhook';
      readonly webhook: string;
      /** The configurations that have a webhook of this name. */
      readonly configurations: readonly RuleObject[];
      readonly message: string;
    }
  | {
      readonly kind: 'plug-in';
      /** Undefined if the server does not name it. */
      readonly plugin: string | undefined;
      readonly message: string;
    }
  | { readonly kind: 'validation' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'console' };
