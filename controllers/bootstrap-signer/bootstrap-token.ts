import type { Naming } from '#base/naming/naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Informer } from '#client/informer/informer.ts';
import type { SharedInformers } from '#client/informer/shared-informers.ts';
import type { Secret } from '#schema/generated/core.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';

/** The copy of all secrets with a token by which machines join. */
export function bootstrapTokens(informers: SharedInformers, naming: Naming): Informer<Secret> {
  const namespace = naming.prefixed('system');
  const fieldSelector = `type=${naming.key('bootstrap/token')},metadata.namespace=${namespace}`;
  return informers.of(coreV1.secrets, { fields: ['data'], fieldSelector });
}

/** A field of a token's secret; '' if it is missing. */
export function tokenField({ data = {} }: Secret, name: string): string {
  return Object.hasOwn(data, name) ? Buffer.from(data[name]!, 'base64').toString('utf8') : '';
}

/**
 * The expiry of a token, in milliseconds since 1970. Infinity if the token has none, and -Infinity if its text is not
 * an RFC 3339 time.
 */
export function tokenEnd(secret: Secret): number {
  const text = tokenField(secret, 'expiration');
  if (text === '') return Number.POSITIVE_INFINITY;
  try {
    return timeToMilliseconds(text);
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}
