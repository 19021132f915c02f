import type { Naming } from '#base/naming/naming.ts';
import type { Access } from '../api/access.ts';
import { type Answer, plainText } from '../api/answer.ts';
import { type Attributes, attributesOf, resourceAttributes } from '../api/attributes.ts';
import type { Authorize } from '../api/filter.ts';
import { type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { CountReload } from '../authentication/config-reloads.ts';
import type { CacheLog, WatchCache } from '../cache/watch-cache.ts';
import type { ServerOptions } from '../config/options.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { ensureFresh } from '../resources/object-reader.ts';
import { annotateDecision } from './annotate-decision.ts';
import { configuredAuthorizer } from './authorization-configuration.ts';
import { type Authorizer, type Decision, masters, type Rules, union } from './authorizer.ts';
import { CacheReader } from './cache-reader.ts';
import { createAuthorizer, createWebhook } from './create-authorizer.ts';
import { Policy } from './rbac/policy.ts';
import { refusal } from './refusal.ts';

/** The modes that decide by stored objects. */
const STORED_MODES = ['RBAC', 'Node'];

/** Decides which user may do what on this server. Its creation throws a ConfigError about a malformed file. */
export class Authorization {
  readonly #cache: WatchCache;
  readonly #naming: Naming;
  readonly #usesStore: boolean;
  readonly #authorizer: Authorizer;
  /** The stored roles and bindings. */
  readonly policy: Policy;
  /** Reads the stored objects by which authorizers decide. */
  readonly reader: CacheReader;

  /** @param reloads returns the function that counts changes of the file of authorizers */
  constructor(
    options: ServerOptions,
    cache: WatchCache,
    log: Pick<CacheLog, 'error' | 'warn'>,
    counted?: CountedCall,
    reloads?: () => CountReload,
  ) {
    this.#cache = cache;
    this.#naming = options.naming;
    this.#usesStore = options.authorizationModes.some((mode) => STORED_MODES.includes(mode));
    this.policy = new Policy(cache, options.naming);
    this.reader = new CacheReader(cache, log);
    const sources = {
      options,
      policy: this.policy,
      reader: this.reader,
      counted,
      warn: (line: string) => log.warn({}, line),
    };
    const { configurationFile } = options.authorization;
    if (configurationFile !== undefined) {
      const configured = configuredAuthorizer(configurationFile, {
        naming: options.naming,
        release: options.release,
        make: (mode, webhook) =>
          webhook === undefined ? createAuthorizer(mode, sources) : createWebhook(webhook, sources),
        reloads,
        onError: (error) => log.error({ err: error }, 'the file of authorizers has changed and cannot be used'),
      });
      this.#authorizer = union([masters, configured]);
      return;
    }
    const named = options.release.atLeast(37);
    const authorizers = options.authorizationModes.map((mode): Authorizer => {
      const made = createAuthorizer(mode, sources);
      if (!named) return made;
      return {
        name: mode.toLowerCase(),
        authorize: (attributes) => made.authorize(attributes),
        rules: (user, namespace) => made.rules(user, namespace),
      };
    });
    this.#authorizer = union([masters, ...authorizers]);
  }

  /**
   * Refuses a request that no authorizer allows: with 403, with 500 after an error, or with 503 while the policy is not
   * current.
   */
  readonly authorize: Authorize = (context) => {
    const attributes = attributesOf(context);
    return whenReady(this.decide(attributes), (decision) => this.#obey(decision, attributes, context));
  };

  #obey(decision: Decision, attributes: Attributes, context: RequestContext): Answer | undefined {
    const { verdict, reason, error } = decision;
    if (context.audit !== undefined) annotateDecision(context, decision, this.#naming);
    if (verdict === 'allow') return undefined;
    if (error !== undefined) {
      return plainText(500, `Internal Server Error: ${JSON.stringify(attributes.path)}: ${error}\n`);
    }
    throw refusal(attributes, reason);
  }

  /** Answers questions about rights, apart from the question of the request itself. */
  readonly access: Access = async ({ user, ...about }) => {
    const { verdict, reason, error } = await this.decide(resourceAttributes(user, about));
    return { allowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) };
  };

  /**
   * The decision of the modes, on policy that was confirmed within the last 10 s. If it does not allow the request,
   * they decide again on policy as new as the store.
   *
   * @throws StatusError (503) if the policy from the store is not available
   */
  decide(attributes: Attributes): MaybePromise<Decision> {
    const first = masters.authorize(attributes);
    if (first.verdict === 'allow') return first;
    return this.#usesStore ? this.#decideByPolicy(attributes) : this.#authorizer.authorize(attributes);
  }

  async #decideByPolicy(attributes: Attributes): Promise<Decision> {
    await ensureFresh(this.reader);
    const before = this.#cache.frontier;
    const decision = await this.#authorizer.authorize(attributes);
    // A remote authorizer may have taken so long that the policy is no longer confirmed.
    if (decision.verdict === 'allow' && this.reader.freshness() === 'confirmed') return decision;
    await this.confirm();
    return this.#cache.frontier === before ? decision : this.#authorizer.authorize(attributes);
  }

  /** The permissions of a user in a namespace, on policy as new as the store. */
  async rules(user: UserInfo, namespace: string): Promise<Rules> {
    if (this.#usesStore) await this.confirm();
    return this.#authorizer.rules(user, namespace);
  }

  /**
   * Updates the policy to the state of the store.
   *
   * @throws StatusError (503) if that state is not available
   */
  confirm(): Promise<void> {
    return this.reader.confirm();
  }
}
