import type { Policy } from '#schema/generated/audit.v1.ts';
import { message, oneOf, textLike } from '../schema.ts';

export const auditPolicy = message<Policy>('audit.v1.Policy', {
  'Policy.omitStages': oneOf('RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'),
  'PolicyRule.omitStages': oneOf('RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'),
  'PolicyRule.level': oneOf('None', 'Metadata', 'Request', 'RequestResponse'),
  'PolicyRule.nonResourceURLs': textLike(
    /^(\*|\/[^*]*\*?)$/,
    'must be "*", or a path that begins with "/", of which only the last character may be the wildcard "*"',
  ),
  'GroupResources.group': textLike(
    /^(|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/,
    'must be the name of a group, as "apps"',
  ),
});
