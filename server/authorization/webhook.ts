import { ExpiringCache } from '#base/collections/expiring-cache.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Attributes } from '../api/attributes.ts';
import { type ReviewClient, ReviewError } from '../outbound/review-client.ts';
import { type Authorizer, type Decision, NO_OPINION } from './authorizer.ts';
import { type MatchConditions, matches } from './match-conditions.ts';
import { readFields, readLabels } from './selector-attributes.ts';

/** The settings for calls of a remote server. */
export interface WebhookOptions {
  readonly client: ReviewClient;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer that allows is remembered, in milliseconds. */
  readonly allowedMs: number;
  /** How long any other answer is remembered, in milliseconds. */
  readonly refusedMs: number;
  readonly naming: Naming;
  /** Whether the question contains the selectors of a list, watch or deletion of many objects. */
  readonly sendsSelectors?: boolean;
  /** The conditions for a call. By default the webhook is called for all requests. */
  readonly conditions?: MatchConditions;
  /** The decision if the server cannot be reached. By default it has no opinion. */
  readonly failurePolicy?: 'NoOpinion' | 'Deny';
  readonly now?: () => number;
}

const REMEMBERED = 8192;

/** The largest size of a question that is remembered. */
const MAX_KEY = 10_000;

/** Decides by asking a remote server. If the call fails, there is no opinion. */
export function webhookAuthorizer(options: WebhookOptions): Authorizer {
  const { client, version, naming, conditions = [] } = options;
  const failed = (error: string): Decision => ({
    verdict: options.failurePolicy === 'Deny' ? 'deny' : 'no-opinion',
    reason: '',
    error,
  });
  const decisions = new ExpiringCache<Decision>(REMEMBERED, options.now);
  return {
    async authorize(attributes) {
      const isMeant = matches(conditions, attributes);
      if (isMeant === false) return NO_OPINION;
      if (isMeant !== true) return failed(isMeant);
      const spec = specOf(attributes, version, options.sendsSelectors === true);
      const key = JSON.stringify(spec);
      const known = decisions.get(key);
      if (known !== undefined) return known;
      let status: JsonObject;
      try {
        status = await client({
          apiVersion: naming.apiVersion('authorization', version),
          kind: 'SubjectAccessReview',
          metadata: { creationTimestamp: null },
          spec,
          status: { allowed: false },
        });
      } catch (error) {
        if (!(error instanceof ReviewError)) throw error;
        return failed(error.message);
      }
      const decision = readStatus(status);
      const ttl = decision.verdict === 'allow' ? options.allowedMs : options.refusedMs;
      if (key.length <= MAX_KEY) decisions.set(key, decision, ttl);
      return decision;
    },
    rules: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      errors: ['webhook authorizer does not support user rule resolution'],
    }),
  };
}

function readStatus(status: JsonObject): Decision {
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  const allows = status['allowed'] === true;
  if (status['denied'] === true) {
    const error = 'webhook subject access review returned both allow and deny response';
    return { verdict: 'deny', reason, ...(allows && { error }) };
  }
  return { verdict: allows ? 'allow' : 'no-opinion', reason };
}

/** The question without empty members. In the older version, the member of the groups is named `group`. */
function specOf(attributes: Attributes, version: 'v1' | 'v1beta1', sendsSelectors: boolean): JsonObject {
  const { user, verb, isResource, path, namespace, group, resource, subresource, name } = attributes;
  const about = { namespace, verb, group, version: attributes.version, resource, subresource, name };
  const extra = Object.entries(user.extra).map(([key, values]) => [key, [...values]] as [string, string[]]);
  return {
    ...(isResource
      ? { resourceAttributes: { ...present(about), ...(sendsSelectors && selectorAttributes(attributes)) } }
      : { nonResourceAttributes: present({ path, verb }) }),
    ...present({ user: user.name }),
    ...(user.groups.length > 0 && { [version === 'v1' ? 'groups' : 'group']: [...user.groups] }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
    ...present({ uid: user.uid }),
  };
}

/** The parsed parts of the selectors. */
function selectorAttributes({ fieldSelector, labelSelector }: Attributes): JsonObject {
  const told = { fieldSelector: readFields(fieldSelector), labelSelector: readLabels(labelSelector) };
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, { requirements }]): [string, JsonObject][] =>
      requirements.length > 0 ? [[name, { requirements: requirements.map((one) => ({ ...one })) }]] : [],
    ),
  );
}

function present(fields: Record<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
