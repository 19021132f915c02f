import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import type { AuthorizationMode, AuthorizationWebhookOptions } from '../config/authorization-options.ts';
import type { ServerOptions } from '../config/options.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { reviewClient } from '../outbound/review-client.ts';
import { readWebhookConnection, type Warn } from '../outbound/webhook-connection.ts';
import { abacAuthorizer } from './abac.ts';
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import type { ConfiguredWebhook } from './authorization-configuration.ts';
import type { Authorizer } from './authorizer.ts';
import type { CacheReader } from './cache-reader.ts';
import { nodeAuthorizer } from './node/node-authorizer.ts';
import { NodeGraph } from './node/node-graph.ts';
import { bootstrapPolicy } from './rbac/bootstrap-policy.ts';
import type { Policy } from './rbac/policy.ts';
import { rbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { webhookAuthorizer } from './webhook.ts';

/** The role with the rules for all nodes, in the state at the server's start. */
const NODE_ROLE = 'system:node';

/** The inputs of authorizers. */
export interface AuthorizerSources {
  readonly options: ServerOptions;
  readonly policy: Policy;
  readonly reader: CacheReader;
  /** Counts calls of a reviewer. */
  readonly counted?: CountedCall | undefined;
  /** Called with each unknown field of a connection file. */
  readonly warn: Warn;
}

function node({ options: { naming, release, gates }, reader }: AuthorizerSources): Authorizer {
  const role = bootstrapPolicy(naming, release).clusterRoles.find(({ name }) => name === NODE_ROLE);
  const graph = new NodeGraph(reader, naming);
  const authorizer = nodeAuthorizer(graph, (role?.rules ?? []) as readonly PolicyRule[], naming, {
    selectors: gates.enabled('AuthorizeNodeWithSelectors'),
  });
  return {
    authorize(attributes) {
      // The graph is notified of changes a little after the cache has them.
      reader.catchUp();
      return authorizer.authorize(attributes);
    },
    rules: (user, namespace) => authorizer.rules(user, namespace),
  };
}

const MODES: Readonly<Record<AuthorizationMode, (sources: AuthorizerSources) => Authorizer>> = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ options }) => abacAuthorizer(options.authorization.policyFile!, options.naming),
  Webhook: (sources) => createWebhook(sources.options.authorization.webhook!, sources),
  RBAC: ({ policy }) => rbacAuthorizer(policy),
  Node: node,
};

/** The authorizer of a webhook. @throws ConfigError about its connection file */
export function createWebhook(
  { configFile, timeoutMs, ...how }: AuthorizationWebhookOptions & Partial<ConfiguredWebhook>,
  { options: { naming, gates }, counted, warn }: AuthorizerSources,
): Authorizer {
  const client = reviewClient(readWebhookConnection(configFile, warn), {
    ...(counted && { counted }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return webhookAuthorizer({ client, naming, sendsSelectors: gates.enabled('AuthorizeWithSelectors'), ...how });
}

/**
 * The authorizer of a mode (`--authorization-mode`).
 * @throws ConfigError about a malformed file
 */
export function createAuthorizer(mode: AuthorizationMode, sources: AuthorizerSources): Authorizer {
  return MODES[mode](sources);
}
