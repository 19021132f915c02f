import { methodNotAllowed } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Naming } from '#base/naming/naming.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import type { ResourceShape, SubresourceType } from '#schema/descriptors/types.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { compareVersions } from '#schema/values/compare-versions.ts';
import type { KindRules, TableForm } from '../../api/resource-definition.ts';
import type { CustomResource, CustomVersion } from '../../resources/custom-resource.ts';
import { storageVersion } from '../definition/definition-defaults.ts';
import { customTable } from './columns.ts';
import type { CustomModel } from './custom-model.ts';
import { scaleErrors } from './scale-errors.ts';

/** The verbs in the order of discovery. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const VIEW_VERBS = ['get', 'patch', 'update'];

/** The fields that a write to `status` ignores. */
const STATUS_RESETS = FieldSet.ofMembers(['metadata']).union(FieldSet.ofMembers(['spec']));

/** The inputs for serving a custom kind. */
export interface CustomKindContext {
  readonly naming: Naming;
  /** The model of a version; its schema is compiled at the first call. */
  model(version: string): CustomModel;
}

/** A definition as a served resource. The schema of a version is compiled at the first use of its objects. */
export function customKind(
  definition: CustomResourceDefinition,
  context: CustomKindContext,
  more: Pick<CustomResource, 'convert' | 'condition'>,
): CustomResource {
  const { spec, status } = definition;
  const names = status!.acceptedNames;
  const versions = (spec.versions ?? [])
    .map((version) => customVersion(version.name, definition, context))
    .sort((a, b) => compareVersions(a.type.version, b.type.version));
  return {
    group: spec.group,
    plural: names.plural,
    kind: names.kind,
    namespaced: spec.scope === 'Namespaced',
    versions,
    storageVersion: storageVersion(definition)!,
    rules: {
      ...rulesOf(versions),
      ...(isTerminating(definition) && { prepareForCreate: () => refuseNew(spec.group, names.plural) }),
    },
    ...more,
  };
}

/** A version of a custom kind, with everything that the rules of its objects need. */
interface Version extends CustomVersion {
  readonly model: () => CustomModel;
}

function customVersion(name: string, { spec, status }: CustomResourceDefinition, context: CustomKindContext): Version {
  const names = status!.acceptedNames;
  const version = versionOf(spec, name);
  const type: ResourceShape = {
    group: context.naming.shortForm(spec.group),
    version: name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? '',
    namespaced: spec.scope === 'Namespaced',
    verbs: VERBS,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: subresourcesOf(version, names.kind),
    columns: [],
    selectableFields: selectableLabels(version),
    storage: undefined,
    allowCreateOnUpdate: false,
    unconditionalUpdate: false,
    deleteAnswersObject: false,
    orphanByDefault: false,
    generation: version.subresources?.status === undefined ? 'content-and-status' : 'content',
    deprecation: deprecationOf(version, spec),
    removedRelease: undefined,
  };
  const { scale } = version.subresources ?? {};
  const columns = version.additionalPrinterColumns;
  return {
    type,
    served: version.served,
    model: () => context.model(name),
    table: lazyTable(() => customTable(columns, { kind: spec.names.kind, apiVersion: `${spec.group}/${name}` })),
    ...(scale !== undefined && { scale }),
  };
}

function versionOf({ versions }: CustomResourceDefinitionSpec, name: string): CustomResourceDefinitionVersion {
  return versions!.find((version) => version.name === name)!;
}

/** The fields of a version's objects that selectors may name, such as `spec.colour`. */
export function selectableLabels(
  version: Pick<CustomResourceDefinitionVersion, 'selectableFields'> | undefined,
): string[] {
  return (version?.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A table whose paths are compiled at its first use. */
function lazyTable(make: () => TableForm): TableForm {
  const table = once(make);
  return {
    get columns() {
      return table().columns;
    },
    cells: (object, now) => table().cells(object, now),
  };
}

function subresourcesOf({ subresources }: CustomResourceDefinitionVersion, kind: string): SubresourceType[] {
  const views: SubresourceType[] = [];
  if (subresources?.status !== undefined) {
    views.push({ name: 'status', kind, group: undefined, version: undefined, verbs: VIEW_VERBS });
  }
  if (subresources?.scale !== undefined) {
    views.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: VIEW_VERBS });
  }
  return views;
}

function deprecationOf(
  version: CustomResourceDefinitionVersion,
  spec: CustomResourceDefinitionSpec,
): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = spec;
  const [better] = versions!
    .filter(({ served, deprecated, name }) => served && deprecated !== true && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const instead = better === undefined ? '' : `; use ${group}/${better} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${instead}`;
}

function isTerminating({ metadata }: CustomResourceDefinition): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

function refuseNew(group: string, kind: string): never {
  throw methodNotAllowed('create not allowed while custom resource definition is terminating', { group, kind });
}

/** Rules of custom kinds in addition to their schemas. */
function rulesOf(versions: readonly Version[]): NonNullable<CustomResource['rules']> {
  const scaleOf = (version: string) => versions.find(({ type }) => type.version === version)?.scale;
  const errors: NonNullable<KindRules['validate']> = (object, { version }) =>
    scaleErrors(asJson(object), scaleOf(version));
  return {
    validate: errors,
    validateUpdate: (object, _old, context) => errors(object, context),
    statusResets: STATUS_RESETS,
    subresources: {
      status: {
        prepareForUpdate: keepAllButStatus,
        validateUpdate: (object, _old, context) => errors(object, context),
      },
      scale: { validateUpdate: (object, _old, context) => errors(object, context) },
    },
  };
}

/**
 * Restores everything except the status and the managed fields. A write to `status` changes nothing else, not even
 * metadata.
 */
function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  const { status } = object;
  for (const name of Object.keys(object)) if (name !== 'kind' && name !== 'apiVersion') delete object[name];
  for (const [name, value] of Object.entries(old)) {
    if (name !== 'status' && name !== 'kind' && name !== 'apiVersion') object[name] = cloneJson(value);
  }
  if (status !== undefined) object['status'] = status;
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}
