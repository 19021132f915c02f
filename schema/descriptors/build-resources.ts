import type { Naming } from '#base/naming/naming.ts';
import type { BuiltMessage } from './build-messages.ts';
import type { Options } from './proto-options.ts';
import type { ColumnType, GenerationRule, GroupVersionType, ResourceType, SubresourceType } from './types.ts';

/** Message `Resource` of options.proto. */
interface ResourceOption {
  plural: string;
  singular?: string;
  namespaced?: boolean;
  virtual?: boolean;
  verbs?: string[];
  short_names?: string[];
  categories?: string[];
  storage?: { group?: string; version?: string };
  generation?: GenerationRule;
  create_on_update?: boolean;
  needs_resource_version?: boolean;
  delete_answers_object?: boolean;
  orphan_by_default?: boolean;
  lifecycle?: { deprecated?: string; removed?: string; replacement?: string };
  no_namespace_label?: boolean;
  selectable_fields?: string[];
  subresources?: { name: string; kind?: string; group?: string; version?: string; verbs?: string[] }[];
  columns?: { name: string; type?: string; format?: string; priority?: number }[];
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Makes the resource of a message that has one. */
export function buildResource(message: BuiltMessage, naming: Pick<Naming, 'apiVersion'>): ResourceType | undefined {
  const option = message.options.get('resource') as ResourceOption | undefined;
  if (option === undefined) return undefined;
  const group = message.file.options.get('group') as string;
  const version = message.file.options.get('version') as string;
  const kind = message.type.shortName;
  return {
    group,
    version,
    kind,
    plural: option.plural,
    singular: option.singular ?? '',
    namespaced: option.namespaced ?? false,
    verbs: option.verbs ?? allVerbs,
    shortNames: option.short_names ?? [],
    categories: option.categories ?? [],
    subresources: (option.subresources ?? []).map((sub) => buildSubresource(sub, kind)),
    columns: (option.columns ?? []).map(buildColumn),
    selectableFields: option.selectable_fields ?? [],
    namespaceSelectable: option.no_namespace_label !== true,
    storage: option.virtual
      ? undefined
      : {
          group: option.storage?.group ?? group,
          plural: option.plural,
          version: option.storage?.version ?? version,
        },
    message: message.type,
    allowCreateOnUpdate: option.create_on_update ?? false,
    unconditionalUpdate: option.needs_resource_version !== true,
    deleteAnswersObject: option.delete_answers_object ?? false,
    orphanByDefault: option.orphan_by_default ?? false,
    generation: option.generation ?? 'none',
    deprecation: deprecationText(group, version, kind, option.lifecycle, naming),
    removedRelease: option.lifecycle?.removed,
  };
}

function buildSubresource(
  sub: NonNullable<ResourceOption['subresources']>[number],
  parentKind: string,
): SubresourceType {
  return {
    name: sub.name,
    kind: sub.kind ?? parentKind,
    group: sub.group,
    version: sub.version,
    verbs: sub.verbs ?? subresourceVerbs,
  };
}

function buildColumn(column: NonNullable<ResourceOption['columns']>[number]): ColumnType {
  return {
    name: column.name,
    type: column.type ?? 'string',
    format: column.format ?? '',
    priority: column.priority ?? 0,
  };
}

function deprecationText(
  group: string,
  version: string,
  kind: string,
  lifecycle: ResourceOption['lifecycle'],
  naming: Pick<Naming, 'apiVersion'>,
): string | undefined {
  if (lifecycle?.deprecated === undefined) return undefined;
  const { deprecated, removed, replacement } = lifecycle;
  const gone = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${naming.apiVersion(group, replacement)} ${kind}`;
  return `${naming.apiVersion(group, version)} ${kind} is deprecated in v${deprecated}+${gone}${instead}`;
}

/** The group versions that can be served, in discovery order; resources in the order of their plurals. */
export function buildGroupVersions(
  files: readonly { package: string; options: Options }[],
  messages: Iterable<BuiltMessage>,
): GroupVersionType[] {
  const resources = new Map<string, ResourceType[]>();
  for (const { type } of messages) {
    if (type.resource === undefined) continue;
    const list = resources.get(type.package);
    if (list === undefined) resources.set(type.package, [type.resource]);
    else list.push(type.resource);
  }
  return files
    .filter(({ options }) => options.has('discovery_order'))
    .sort((a, b) => number(a.options, 'discovery_order') - number(b.options, 'discovery_order'))
    .map(({ package: name, options }) => ({
      group: options.get('group') as string,
      version: options.get('version') as string,
      enabledByDefault: options.get('off_by_default') !== true,
      ...(options.has('group_priority')
        ? { priority: { group: number(options, 'group_priority'), version: number(options, 'version_priority') } }
        : {}),
      resources: (resources.get(name) ?? []).sort((a, b) => (a.plural < b.plural ? -1 : 1)),
    }));
}

function number(options: Options, name: string): number {
  return options.get(name) as number;
}
