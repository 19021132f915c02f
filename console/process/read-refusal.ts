import type { StatusBody } from '#client/errors.ts';
import type { QuotaNumbers } from '../protocol/rule.ts';
import type { MissingRight } from './missing-right.ts';

/** The content of a Status about the rule that refused a request. Nothing is read from other sources. */
export type Refusal =
  | ({ readonly kind: 'authorization'; readonly reason: string } & MissingRight)
  | { readonly kind: 'escalation'; readonly rules: readonly string[] }
  | { readonly kind: 'quota'; readonly quota: string; readonly numbers: readonly QuotaNumbers[] }
  | {
      readonly kind: 'policy';
      /** The kind of the policy. */
      readonly type: string;
      readonly policy: string;
      readonly binding: string;
      readonly message: string;
    }
  | { readonly kind: 'webhook'; readonly webhook: string; readonly message: string }
  | { readonly kind: 'plug-in'; readonly message: string }
  | { readonly kind: 'validation' }
  | { readonly kind: 'conflict' };

/** A text in double quotes, as the server writes it: with escapes of JSON. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;

const ON_RESOURCE = new RegExp(
  `User (${QUOTED}) cannot (\\S+) resource (${QUOTED}) in API group (${QUOTED}) (?:at the cluster scope|in the namespace (${QUOTED}))(?:: ([\\s\\S]*))?$`,
);
const ON_PATH = new RegExp(`^forbidden: User (${QUOTED}) cannot (\\S+) path (${QUOTED})(?:: ([\\s\\S]*))?$`);
const ESCALATION = /is attempting to grant RBAC permissions not currently held:\n([\s\S]*)$/;
const QUOTA = /exceeded quota: (\S+), requested: (.*)$/;
const POLICY = /(ValidatingAdmissionPolicy|policy) '([^']*)' with binding '([^']*)' denied request: ([\s\S]*)$/;
const WEBHOOK = new RegExp(`admission webhook (${QUOTED}) denied the request(?:: ([\\s\\S]*)| without explanation)$`);
/** The text before the message of a plug-in. */
const INTRODUCTION = /^.* is forbidden: ([\s\S]*)$/;

/** Longer messages are not looked through. */
const MOST_CHARACTERS = 20_000;

/**
 * Finds the rule in the server's message. Undefined if no rule refused the request, for example if the object is gone
 * or the server is too busy.
 */
export function readRefusal({ code = 0, reason = '', message = '', details }: StatusBody): Refusal | undefined {
  const text = message.slice(0, MOST_CHARACTERS);
  const byName = namedRule(text);
  if (byName !== undefined) return byName;
  if (code === 409) return { kind: 'conflict' };
  if (code === 403) {
    const resource = ON_RESOURCE.exec(text);
    if (resource !== null) {
      const [, user, verb = '', on, group, namespace, why = ''] = resource;
      const { name = '' } = details ?? {};
      const place = { resource: unquoted(on), group: unquoted(group), namespace: unquoted(namespace), name };
      return { kind: 'authorization', user: unquoted(user), verb, path: '', ...place, reason: why };
    }
    const path = ON_PATH.exec(text);
    if (path !== null) {
      const [, user, verb = '', on, why = ''] = path;
      const place = { path: unquoted(on), resource: '', group: '', namespace: '', name: '' };
      return { kind: 'authorization', user: unquoted(user), verb, ...place, reason: why };
    }
    return { kind: 'plug-in', message: INTRODUCTION.exec(text)?.[1] ?? text };
  }
  if (code === 422 || (code === 400 && reason === 'BadRequest')) return { kind: 'validation' };
  return undefined;
}

/** A rule that the server's message names; the code does not matter. */
function namedRule(text: string): Refusal | undefined {
  const policy = POLICY.exec(text);
  if (policy !== null) {
    const [, type, name = '', binding = '', message = ''] = policy;
    return {
      kind: 'policy',
      type: type === 'policy' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
      policy: name,
      binding,
      message,
    };
  }
  const webhook = WEBHOOK.exec(text);
  if (webhook !== null) return { kind: 'webhook', webhook: unquoted(webhook[1]), message: webhook[2] ?? '' };
  const quota = QUOTA.exec(text);
  if (quota !== null) {
    const [, name = '', rest = ''] = quota;
    const [requested, others = ''] = splitOnce(rest, ', used: ');
    const [used, limited] = splitOnce(others, ', limited: ').map(numbersOf);
    const numbers = [...numbersOf(requested!)].map(([resource, asked]) => ({
      resource,
      requested: asked,
      used: used?.get(resource) ?? '',
      limited: limited?.get(resource) ?? '',
    }));
    return { kind: 'quota', quota: name, numbers };
  }
  const escalation = ESCALATION.exec(text);
  if (escalation !== null) return { kind: 'escalation', rules: escalation[1]!.split('\n').filter(Boolean) };
  return undefined;
}

function splitOnce(text: string, at: string): readonly string[] {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + at.length)];
}

/** `cpu=1,pods=2`. */
function numbersOf(list: string): ReadonlyMap<string, string> {
  const pairs = list.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return new Map(pairs);
}

/** The server escapes the three signs that careless pages take for markup. */
const ESCAPED: readonly [written: string, sign: string][] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
];

function unquoted(text: string | undefined): string {
  if (text === undefined) return '';
  let value: string;
  try {
    value = JSON.parse(text) as string;
  } catch {
    value = text.slice(1, -1);
  }
  return ESCAPED.reduce((shown, [written, sign]) => shown.replaceAll(written, sign), value);
}
