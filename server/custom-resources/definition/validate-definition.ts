import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  fieldError,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '#schema/generated/apiextensions.v1.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { dns1035Label, dns1123Subdomain, subdomainName } from '#schema/validation/names.ts';
import type { Checks } from '../schema/check-work.ts';
import type { ReadMetadata } from '../schema/embedded-objects.ts';
import { refusedList } from '../schema/go-syntax.ts';
import { namePrefixOf } from '../schema/name-formats.ts';
import { validateApproval } from './api-approval.ts';
import { checksBundles, hasCondition } from './definition-status.ts';
import { bundleProblem, knowsReview, validateConversion } from './validate-conversion.ts';
import { validateNames } from './validate-names.ts';
import { expressionsOf, hasDefaults, type SchemaContext, validateSchema } from './validate-schema.ts';
import { validateSelectableFields } from './validate-selectable-fields.ts';
import { validateColumn, validateDeprecation, validateSubresources } from './validate-version.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
const SCOPES = ['Cluster', 'Namespaced'];

/** The inputs for checks of definitions. */
export interface DefinitionContext {
  readonly naming: Naming;
  readonly release: Release;
  readonly readMetadata: ReadMetadata;
}

/** Checks the name of a definition, or the start of the name. It must be the plural and the group. */
export function definitionName({ spec }: CustomResourceDefinition, name: string, prefix?: boolean): string[] {
  const wanted = `${spec.names.plural}.${spec.group}`;
  return [...subdomainName(name, prefix), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

/** Errors of a definition without its metadata. `old` is the stored definition. */
export function* validateDefinition(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: DefinitionContext,
): Checks<FieldError[]> {
  const { spec, status } = definition;
  return [
    ...(yield* specErrors(spec, old, context)),
    ...(old === undefined ? [] : changeErrors(definition, old)),
    ...(status === undefined ? [] : validateNames(status.acceptedNames, STATUS.child('acceptedNames'))),
    ...storedVersionErrors(status?.storedVersions ?? [], spec.versions ?? []),
    ...validateApproval(definition, old, context.naming),
    ...preserveErrors(spec, old?.spec, context.naming),
  ];
}

/** Errors of only the status of a definition. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): FieldError[] {
  return status === undefined ? [] : validateNames(status.acceptedNames, STATUS.child('acceptedNames'));
}

function changeErrors({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const keep = (path: FieldPath, value: unknown, before: unknown) =>
    semanticallyEqual(value, before) ? [] : [invalidValue(path, value, IMMUTABLE)];
  const established = hasCondition(old, 'Established');
  return [
    ...(established ? keep(SPEC.child('scope'), spec.scope, old.spec.scope) : []),
    ...(established ? keep(SPEC.child('names', 'kind'), spec.names.kind, old.spec.names.kind) : []),
    ...keep(SPEC.child('group'), spec.group, old.spec.group),
    ...keep(SPEC.child('names', 'plural'), spec.names.plural, old.spec.names.plural),
  ];
}

function groupErrors(group: string): FieldError[] {
  const path = SPEC.child('group');
  if (group === '') return [required(path)];
  const problems = dns1123Subdomain(group);
  if (problems.length > 0) return [invalidValue(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue(path, group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  const path = SPEC.child('scope');
  if (scope === '') return [required(path)];
  return SCOPES.includes(scope) ? [] : [notSupported(path, scope, SCOPES)];
}

function* specErrors(
  spec: CustomResourceDefinitionSpec,
  before: CustomResourceDefinition | undefined,
  context: DefinitionContext,
): Checks<FieldError[]> {
  const old = before?.spec;
  const versions = spec.versions ?? [];
  const { names } = spec;
  const path = SPEC.child('names');
  const oldExpressions = expressionsOf(old, context.naming.extensionPrefix);
  const oldVersions = new Map((old?.versions ?? []).map((version) => [version.name, version]));
  const versionContext: VersionContext = { ...context, oldVersions, oldExpressions };
  const recognized =
    old?.conversion?.webhook === undefined || knowsReview(old.conversion.webhook.conversionReviewVersions);
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...versions.flatMap((version, i) =>
      version.schema?.openAPIV3Schema === undefined
        ? [required(SPEC.child('versions').index(i).child('schema', 'openAPIV3Schema'), 'schemas are required')]
        : [],
    ),
    ...defaultsErrors(spec, versions),
    ...(yield* versionsErrors(versions, versionContext)),
    ...(['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) =>
      names[name] ? [] : [required(path.child(name))],
    ),
    ...validateNames(names, path),
    ...(yield* sharedErrors(versions, versionContext)),
    ...validateConversion(spec.conversion, SPEC.child('conversion'), {
      recognized,
      readable: needsReadableBundle(before, context.release),
    }),
  ];
}

/**
 * Whether a change must have a readable bundle. It must if the definition is served and its bundle was readable before.
 * Until then, installers may store a placeholder.
 */
function needsReadableBundle(old: CustomResourceDefinition | undefined, release: Release): boolean {
  if (old === undefined || !checksBundles(release)) return false;
  return hasCondition(old, 'Established') && bundleProblem(old.spec.conversion) === undefined;
}

function defaultsErrors(
  { preserveUnknownFields }: CustomResourceDefinitionSpec,
  versions: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  if (preserveUnknownFields !== true) return [];
  if (!versions.some(({ schema }) => hasDefaults(schema?.openAPIV3Schema))) return [];
  const path = SPEC.child('preserveUnknownFields');
  return [invalidValue(path, true, 'must be false in order to use defaults in the schema')];
}

type Part = 'schema' | 'selectableFields' | 'subresources' | 'additionalPrinterColumns';

/**
 * Checks settings that all versions share. They are checked once, and their errors have the path of the first version
 * of definitions.
 */
function isShared(versions: readonly CustomResourceDefinitionVersion[], part: Part): boolean {
  const [first, ...others] = versions;
  return first?.[part] !== undefined && others.every((version) => jsonEqual(version[part], first[part]));
}

/** The inputs for checks of versions. */
interface VersionContext extends DefinitionContext {
  /** The versions of the previous definition by their names. */
  readonly oldVersions: ReadonlyMap<string, CustomResourceDefinitionVersion>;
  /** The expressions of the previous definition, by their texts. */
  readonly oldExpressions: ReadonlySet<string>;
}

function schemaContext(
  { name, schema }: CustomResourceDefinitionVersion,
  { naming, readMetadata, release, oldVersions, oldExpressions }: VersionContext,
): SchemaContext {
  const before = oldVersions.get(name);
  return {
    prefix: naming.extensionPrefix,
    readMetadata,
    release,
    namePrefix: namePrefixOf(naming, release),
    oldExpressions,
    isUnchanged: release.atLeast(29) && before !== undefined && jsonEqual(before.schema, schema),
  };
}

function* partErrors(
  version: CustomResourceDefinitionVersion,
  part: Part,
  path: FieldPath,
  hasStatus: boolean,
  context: VersionContext,
): Checks<FieldError[]> {
  if (part === 'subresources') return validateSubresources(version.subresources, path);
  if (part === 'additionalPrinterColumns') {
    return (version.additionalPrinterColumns ?? []).flatMap((column, i) => validateColumn(column, path.index(i)));
  }
  if (part === 'selectableFields') {
    return validateSelectableFields(version, context.oldVersions.get(version.name), path);
  }
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return [];
  return yield* validateSchema(schema, path.child('openAPIV3Schema'), hasStatus, schemaContext(version, context));
}

function* versionsErrors(
  versions: readonly CustomResourceDefinitionVersion[],
  context: VersionContext,
): Checks<FieldError[]> {
  const path = SPEC.child('versions');
  const parts: Part[] = ['schema', 'selectableFields', 'subresources', 'additionalPrinterColumns'];
  const own = parts.filter((part) => !isShared(versions, part));
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    const at = path.index(i);
    const hasStatus = version.subresources?.status !== undefined;
    append(
      errors,
      versionNameErrors(version.name, at.child('name')),
      validateDeprecation(version.deprecated, version.deprecationWarning, at.child('deprecationWarning')),
    );
    for (const part of own) append(errors, yield* partErrors(version, part, at.child(part), hasStatus, context));
  }
  const names = new Set(versions.map(({ name }) => name));
  if (names.size < versions.length) errors.push(invalidValue(path, versions, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalidValue(path, versions, 'must have exactly one version marked as storage version'));
  }
  const first = versions[0]?.name ?? '';
  return first === '' ? errors : [...errors, ...versionNameErrors(first, SPEC.child('version'))];
}

function versionNameErrors(name: string, path: FieldPath): FieldError[] {
  const problems = dns1035Label(name);
  return problems.length === 0 ? [] : [invalidValue(path, name, problems.join(','))];
}

function* sharedErrors(
  versions: readonly CustomResourceDefinitionVersion[],
  context: VersionContext,
): Checks<FieldError[]> {
  const places: [Part, string][] = [
    ['schema', 'validation'],
    ['selectableFields', 'selectableFields'],
    ['subresources', 'subresources'],
    ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ];
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  const errors: FieldError[] = [];
  for (const [part, name] of places) {
    if (!isShared(versions, part)) continue;
    append(errors, yield* partErrors(versions[0]!, part, SPEC.child(name), hasStatus, context));
  }
  return errors;
}

function storedVersionErrors(
  stored: readonly string[],
  versions: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const path = STATUS.child('storedVersions');
  const [storedNames, names] = [new Set(stored), new Set(versions.map(({ name }) => name))];
  if (stored.length === 0) return [refusedList(path, undefined, 'must have at least one stored version')];
  return [
    ...versions.flatMap((version) =>
      version.storage && !storedNames.has(version.name)
        ? [invalidValue(path, version, `must have the storage version ${version.name}`)]
        : [],
    ),
    ...stored.flatMap((name, i) =>
      names.has(name) ? [] : [invalidValue(path.index(i), name, 'must appear in spec.versions')],
    ),
  ];
}

/**
 * Whether unknown fields are kept. They are if the schema says so. An old definition that always kept all of them may
 * continue.
 */
function preserveErrors(
  { preserveUnknownFields }: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  { extensionPrefix }: Naming,
): FieldError[] {
  if (preserveUnknownFields !== true || old?.preserveUnknownFields === true) return [];
  const instead = `set ${extensionPrefix}preserve-unknown-fields to true in spec.versions[*].schema instead`;
  const body = `Invalid value: true: cannot set to true, ${instead}`;
  return [fieldError('FieldValueInvalid', SPEC.child('preserveUnknownFields'), body)];
}
