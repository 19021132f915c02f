import type { ServiceAccount } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { defineKind } from '../define-kind.ts';

/** Removes everything except the names of secrets, because they are in the account's own namespace. */
function keepSecretNames(object: ServiceAccount): void {
  if (object.secrets === undefined) return;
  object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** The kind of identities for programs in the cluster. */
export const serviceAccount = defineKind('core/serviceaccounts', {
  revalidatesOnUpdate: true,
  warnings: ({ metadata }, old, { naming, release }) => {
    const key = naming.key('enforce-mountable-secrets');
    if (!release.atLeast(32) || metadata.annotations?.[key] === undefined) return [];
    if (old?.metadata.annotations?.[key] !== undefined) return [];
    const advice = 'prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${key}]: deprecated in v1.32+; ${advice}`];
  },
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  cells: ({ metadata, secrets }, { now }) => [
    metadata.name ?? '',
    secrets?.length ?? 0,
    age(metadata.creationTimestamp, now),
  ],
});
