import type { CustomResourceDefinition, WebhookConversion } from '#schema/generated/apiextensions.v1.ts';

/**
 * Fills the missing fields of a definition: names from the kind, no conversion, the version of stored objects.
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

/** The storage version: the first version that is marked so. */
export function storageVersion({ spec }: Pick<CustomResourceDefinition, 'spec'>): string | undefined {
  return spec.versions?.find(({ storage }) => storage)?.name;
}

/** A version that objects were stored in stays known as such until an operator says that none is left. */
export function rememberStorageVersion(definition: CustomResourceDefinition): void {
  const version = storageVersion(definition);
  if (version === undefined) return;
  definition.status ??= { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
  const known = definition.status.storedVersions ?? [];
  if (!known.includes(version)) definition.status.storedVersions = [...known, version];
}
