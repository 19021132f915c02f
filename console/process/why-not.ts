import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { builtIn, type ResourceType } from '#client/resource-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Problem } from '../protocol/messages.ts';
import type { Rule, RuleObject } from '../protocol/rule.ts';
import type { Kinds } from './catalog.ts';
import { grantOf } from './missing-right.ts';
import { problemOf } from './problem.ts';
import { type Refusal, readRefusal } from './read-refusal.ts';

interface SelfReview extends ApiObject {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

const selfReviews = builtIn<SelfReview>('authentication', 'v1', 'selfsubjectreviews', 'SelfSubjectReview', false);

/** A configuration of webhooks. */
interface Webhooks extends ApiObject {
  readonly webhooks?: readonly { readonly name?: string }[] | null;
}

/** The time limit for finding out more about a refusal, in milliseconds. */
const MOST_MS = 5_000;

/** Explains which rule refused a request: the server's message, and the parts of the rule that the user may read. */
export class WhyNot {
  readonly #client: Client;
  readonly #kinds: Kinds;

  constructor(client: Client, kinds: Kinds) {
    this.#client = client;
    this.#kinds = kinds;
  }

  /**
   * The problem that the page shows for an error, with the rule that refused the request. Never rejects.
   *
   * @param namespace of the request, which refusals by a quota do not name
   */
  async problemOf(error: unknown, namespace: string): Promise<Problem> {
    const problem = problemOf(error);
    if (!(error instanceof ApiError)) return problem;
    if (error.reason === 'ReadOnlyConsole') return { ...problem, rule: { kind: 'console' } };
    const refusal = readRefusal({ ...error.status, code: error.code });
    if (refusal === undefined) return problem;
    try {
      const rule = await this.#ruleOf(refusal, error, namespace);
      return { ...problem, rule, advice: ADVICE[rule.kind] };
    } catch {
      // The problem already contains the server's message about the refusal.
      return problem;
    }
  }

  async #ruleOf(refusal: Refusal, error: ApiError, within: string): Promise<Rule> {
    switch (refusal.kind) {
      case 'authorization': {
        const { verb, path, resource, group, namespace, name, reason } = refusal;
        const { username, groups = [] } = await this.#whoAmI();
        const user = username ?? refusal.user;
        const grant = grantOf({ user, verb, path, resource, group, namespace, name }, this.#client.naming);
        const on = path === '' ? resource : path;
        return { kind: 'authorization', user, groups, verb, on, group, namespace, name, reason, grant };
      }
      case 'quota': {
        const id = within === '' ? undefined : await this.#kinds.idOf('', 'ResourceQuota');
        const quota = { what: 'ResourceQuota', name: refusal.quota, namespace: within, id };
        return { kind: 'quota', quota, numbers: refusal.numbers };
      }
      case 'policy': {
        const [policy, binding] = await Promise.all([
          this.#registration(refusal.type, refusal.policy),
          this.#registration(`${refusal.type}Binding`, refusal.binding),
        ]);
        return { kind: 'policy', policy, binding, message: refusal.message };
      }
      case 'webhook': {
        const configurations = await this.#configurationsOf(refusal.webhook);
        return { ...refusal, configurations };
      }
      case 'plug-in': {
        const plugin = error.headers[this.#client.naming.header('Refused-By').toLowerCase()];
        return { ...refusal, plugin: typeof plugin === 'string' ? plugin : undefined };
      }
      default:
        return refusal;
    }
  }

  async #whoAmI(): Promise<{ readonly username?: string; readonly groups?: readonly string[] }> {
    try {
      const { status } = await this.#client.resource(selfReviews).create({ metadata: {} }, { timeoutMs: MOST_MS });
      return status?.userInfo ?? {};
    } catch {
      // The refusal itself names the user.
      return {};
    }
  }

  /** An object of the group of policies and webhooks, in the version that the server serves. */
  async #registration(kind: string, name: string): Promise<RuleObject> {
    const group = this.#client.naming.group('admissionregistration');
    const id = await this.#kinds.idOf(group, kind);
    return { what: kind, name, namespace: '', id };
  }

  /** The configurations that contain a webhook of this name, if the user may list them. */
  async #configurationsOf(webhook: string): Promise<readonly RuleObject[]> {
    const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
    const lists = kinds.map(async (kind) => {
      const { id } = await this.#registration(kind, '');
      if (id === undefined) return [];
      try {
        const type = await this.#kinds.type(id);
        const { items } = await this.#client
          .resource<Webhooks>(type as ResourceType<Webhooks>)
          .list({ timeoutMs: MOST_MS, limit: 500 });
        return items
          .filter(({ webhooks }) => webhooks?.some(({ name }) => name === webhook) === true)
          .map(({ metadata }) => ({ what: kind, name: metadata.name ?? '', namespace: '', id }));
      } catch {
        // A user who may not list the configurations still gets the name of the webhook.
        return [];
      }
    });
    return (await Promise.all(lists)).flat();
  }
}

const ADVICE: Readonly<Record<Rule['kind'], string>> = {
  authorization: 'Ask an administrator for this right. The role and its binding below would give it.',
  escalation: 'You can give only rights that you have yourself. Ask an administrator who has them.',
  quota: 'Ask for less, delete what is not needed, or have the quota of the namespace raised.',
  policy: 'Change the object so that the policy lets it through, or talk to the owner of the policy.',
  webhook: 'Change the object as the webhook wants it, or talk to those who run the webhook.',
  'plug-in': 'Change the object so that this part of the server lets it through.',
  validation: 'Mend the fields that are named, and try again.',
  conflict: 'The object has changed since it was read. Read it again, and make the change once more.',
  console: 'Stop the console, and start it with "orchctl console --write".',
};
