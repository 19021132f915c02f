import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { settleNumbers } from '#base/json/settled-number.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { validateObjectMeta } from '#schema/validation/object-meta.ts';
import { formatTime } from '#schema/values/time.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { type Checks, checkInTurns } from '../schema/check-work.ts';
import { defaultDefinition, rememberStorageVersion } from './definition-defaults.ts';
import { withCondition } from './definition-status.ts';
import { definitionWarnings } from './definition-warnings.ts';
import {
  type DefinitionContext,
  definitionName,
  validateDefinition,
  validateDefinitionStatus,
} from './validate-definition.ts';

/** The condition of a definition that is being deleted. */
export const TERMINATING = 'Terminating';

/** The finalizer that a deleted definition keeps until its objects are gone. */
export function cleanupFinalizer(naming: Naming): string {
  return naming.domain('customresourcecleanup.apiextensions');
}

/** Errors of a definition, and of the metadata of a new definition. `old` is the stored definition. */
export function* definitionErrors(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: DefinitionContext,
): Checks<FieldError[]> {
  const errors = yield* validateDefinition(definition, old, context);
  if (old !== undefined) return errors;
  const meta = validateObjectMeta(definition.metadata, {
    namespaced: false,
    validateName: (name, prefix) => definitionName(definition, name, prefix),
    path: new FieldPath('metadata'),
  });
  return [...meta, ...errors];
}

/** The kind of definitions. Definitions decide which custom kinds exist. */
export function createDefinitionRules(context: DefinitionContext): KindRules<CustomResourceDefinition> {
  const { naming } = context;
  return {
    group: 'apiextensions',
    plural: 'customresourcedefinitions',
    versions: { v1: { defaults: (object: ApiObject) => defaultDefinition(object as CustomResourceDefinition) } },
    validatesOwnMetadata: true,
    anyFinalizers: true,
    prepareForCreate(definition) {
      definition.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
      if (definition.spec.preserveUnknownFields === false) delete definition.spec.preserveUnknownFields;
      rememberStorageVersion(definition);
    },
    prepareForUpdate(definition, old) {
      if (old.status !== undefined) definition.status = cloneJson(old.status);
      rememberStorageVersion(definition);
    },
    validateInTurns: (definition, old) => checkInTurns(definitionErrors(definition, old, context)),
    ...(context.release.atLeast(34) && {
      warnings: (definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined) =>
        definitionWarnings(definition, old, context),
    }),
    // Defaults and enums get the form that objects will have.
    canonicalize: (definition) => void settleNumbers(definition.spec as unknown as JsonValue),
    subresources: {
      status: {
        prepareForUpdate(definition, old) {
          definition.spec = cloneJson(old.spec);
          defaultDefinition(definition);
        },
        validateUpdate: (definition) => validateDefinitionStatus(definition),
      },
    },
    markDeleted: (definition) => markTerminating(definition, cleanupFinalizer(naming), formatTime(Date.now())),
    cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null],
  };
}

/** Marks a definition as being deleted. Its objects are deleted first. */
function markTerminating(definition: CustomResourceDefinition, finalizer: string, now: string): void {
  const { metadata } = definition;
  if (metadata.finalizers?.includes(finalizer) !== true)
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  definition.status ??= { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
  definition.status.conditions = withCondition(
    definition.status.conditions ?? [],
    {
      type: TERMINATING,
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  );
}
