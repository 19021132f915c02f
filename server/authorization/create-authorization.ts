import type { Access } from '../admission/access.ts';
import type { ServerOptions } from '../config/options.ts';
import { serviceUnavailable } from '../errors/status-error.ts';
import { text } from '../http/answer.ts';
import type { Authorize } from '../http/filters/authorize.ts';
import type { UserInfo } from '../http/request-context.ts';
import type { Registry } from '../registry/registry.ts';
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import { type Attributes, attributesOf, resourceAttributes } from './attributes.ts';
import { type Authorizer, type Decision, masters, type Rules, union } from './authorizer.ts';
import { Policy } from './rbac/policy.ts';
import { rbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { refusal } from './refusal.ts';

/** For so long after the cache was last confirmed its policy counts as current, in milliseconds. */
const TRUSTED_MS = 10_000;

const NO_SNIFF = { 'X-Content-Type-Options': 'nosniff' };

/** Modes that decide by what is stored. */
const STORED_MODES = ['RBAC', 'Node'];

/** Who may do what on this server. */
export class Authorization {
  readonly #registry: Registry;
  readonly #authorizer: Authorizer;
  readonly #usesStore: boolean;
  /** The stored roles and bindings; undefined without the mode RBAC. */
  readonly policy: Policy | undefined;

  constructor(options: ServerOptions, registry: Registry) {
    this.#registry = registry;
    const modes = options.authorizationModes;
    this.#usesStore = modes.some((mode) => STORED_MODES.includes(mode));
    this.policy = modes.includes('RBAC') ? new Policy(registry) : undefined;
    const authorizers = modes.flatMap((mode): Authorizer[] => {
      switch (mode) {
        case 'AlwaysAllow':
          return [alwaysAllow];
        case 'AlwaysDeny':
          return [alwaysDeny];
        case 'RBAC':
          return [rbacAuthorizer(this.policy!)];
        default:
          return [];
      }
    });
    this.#authorizer = union([masters, ...authorizers]);
  }

  /** Refuses requests that nobody allows: 403, 500 where an authorizer failed, 503 where the policy is not current. */
  readonly authorize: Authorize = async (context) => {
    const attributes = attributesOf(context);
    const { verdict, reason, error } = await this.decide(attributes);
    if (verdict === 'allow') return undefined;
    if (error !== undefined) {
      return text(500, `Internal Server Error: ${JSON.stringify(attributes.path)}: ${error}\n`, NO_SNIFF);
    }
    throw refusal(attributes, reason);
  };

  /** Answers questions besides the request itself. */
  readonly access: Access = async ({ user, ...about }) => {
    const { verdict, reason, error } = await this.decide(resourceAttributes(user, about));
    return { allowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) };
  };

  /**
   * What the modes say, on policy confirmed within the last 10 s. What is not allowed is decided once more on policy as
   * new as the store. Throws 503 where that cannot be had.
   */
  async decide(attributes: Attributes): Promise<Decision> {
    const first = masters.authorize(attributes) as Decision;
    if (first.verdict === 'allow') return first;
    const { cache } = this.#registry;
    if (this.#usesStore && Date.now() - cache.confirmedAt > TRUSTED_MS) await this.#confirm();
    const before = cache.frontier;
    const decision = await this.#authorizer.authorize(attributes);
    if (decision.verdict === 'allow' || !this.#usesStore) return decision;
    await this.#confirm();
    return cache.frontier === before ? decision : this.#authorizer.authorize(attributes);
  }

  /** What a user may do in a namespace, on policy as new as the store. */
  async rules(user: UserInfo, namespace: string): Promise<Rules> {
    if (this.#usesStore) await this.#confirm();
    return this.#authorizer.rules(user, namespace);
  }

  async #confirm(): Promise<void> {
    try {
      await this.#registry.cache.fresh();
    } catch {
      throw serviceUnavailable('the policy of this server could not be confirmed; try again');
    }
  }
}
