import type { CustomResourceDefinition, WebhookConversion } from '#schema/generated/apiextensions.v1.ts';

/**
 * Fills in the missing fields of a definition: names from the kind, no conversion, and the version of stored objects.
 */
export function defaultDefinition({ spec, status }: CustomResourceDefinition): void {
  const { names } = spec;
  names.singular ||= names.kind.toLowerCase();
  names.listKind ||= names.kind === '' ? '' : `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  if (saysNothing(spec.conversion.webhook)) delete spec.conversion.webhook;
  const { webhook } = spec.conversion;
  if (webhook?.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443;
  if (status !== undefined && (status.storedVersions ?? []).length === 0) {
    const stored = storageVersion({ spec });
    if (stored !== undefined) status.storedVersions = [stored];
  }
}

/** Whether a webhook has neither a client nor a list of versions; an empty list counts as a list. */
function saysNothing(webhook: WebhookConversion | undefined): boolean {
  return webhook?.clientConfig === undefined && (webhook?.conversionReviewVersions ?? null) === null;
}

/** The storage version. It is the first version with that mark. */
export function storageVersion({ spec }: Pick<CustomResourceDefinition, 'spec'>): string | undefined {
  return spec.versions?.find(({ storage }) => storage)?.name;
}

/**
 * Adds a version in which objects were stored. It stays in the list until an operator removes it because no object is
 * left in it.
 */
export function rememberStorageVersion(definition: CustomResourceDefinition): void {
  const version = storageVersion(definition);
  if (version === undefined) return;
  definition.status ??= { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
  const known = definition.status.storedVersions ?? [];
  if (!known.includes(version)) definition.status.storedVersions = [...known, version];
}
