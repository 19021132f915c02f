import type { Naming } from '#base/naming/naming.ts';
import { minorOf, type Release } from '#base/release/release.ts';
import type { BuiltMessage } from './build-messages.ts';
import type { ProtoFile, ProtoOptions } from './proto-data.ts';
import type {
  ColumnType,
  GenerationRule,
  GroupVersionType,
  MessageType,
  ResourceType,
  SubresourceType,
} from './types.ts';

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
  /** Their descriptions come from columns.yaml. */
  columns?: { name: string; type?: string; format?: string; priority?: number; description?: string }[];
  /** This field is not in options.proto: see of-release.ts. */
  unserved?: boolean;
  cells?: readonly number[];
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/**
 * Makes the resource of a message that has one.
 *
 * @example buildResource(pod, naming, releaseOf('1.25'))?.plural // 'pods'
 */
export function buildResource(
  message: BuiltMessage,
  naming: Pick<Naming, 'apiVersion'>,
  release: Release,
): ResourceType | undefined {
  const option = message.options['resource'] as ResourceOption | undefined;
  if (option === undefined) return undefined;
  const group = message.file.options?.['group'] as string;
  const version = message.file.options?.['version'] as string;
  const kind = message.type.shortName;
  return {
    group,
    version,
    kind,
    plural: option.plural,
    singular: option.singular ?? (release.atLeast(27) ? kind.toLowerCase() : ''),
    namespaced: option.namespaced ?? false,
    verbs: option.verbs ?? allVerbs,
    shortNames: option.short_names ?? [],
    categories: option.categories ?? [],
    subresources: (option.subresources ?? []).map((sub) => buildSubresource(sub, kind)),
    columns: (option.columns ?? []).map(buildColumn),
    ...(option.cells && { cells: option.cells }),
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
    deprecation: deprecationText(group, version, kind, option.lifecycle, naming, release),
    removedRelease: option.lifecycle?.removed,
    served: option.unserved !== true,
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
    ...(column.description !== undefined && { description: column.description }),
  };
}

function deprecationText(
  group: string,
  version: string,
  kind: string,
  lifecycle: ResourceOption['lifecycle'],
  naming: Pick<Naming, 'apiVersion'>,
  release: Release,
): string | undefined {
  if (lifecycle?.deprecated === undefined || !release.atLeast(minorOf(lifecycle.deprecated))) return undefined;
  const { deprecated, removed, replacement } = lifecycle;
  const gone = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${replacementText(replacement, group, kind, naming)}`;
  return `${naming.apiVersion(group, version)} ${kind} is deprecated in v${deprecated}+${gone}${instead}`;
}

/** A version of the same kind, or a kind with its group and version. */
function replacementText(replacement: string, group: string, kind: string, naming: Pick<Naming, 'apiVersion'>): string {
  const [, otherGroup, version, otherKind] = /^(.*)\/(\S+) (\S+)$/.exec(replacement) ?? [];
  if (otherGroup === undefined || version === undefined) return `${naming.apiVersion(group, replacement)} ${kind}`;
  return `${naming.apiVersion(otherGroup, version)} ${otherKind}`;
}

/** The group versions that can be served, in discovery order; resources in the order of their plurals. */
export function buildGroupVersions(files: readonly ProtoFile[], messages: Iterable<MessageType>): GroupVersionType[] {
  const resources = new Map<string, ResourceType[]>();
  for (const { package: name, resource } of messages) {
    if (resource === undefined) continue;
    const list = resources.get(name);
    if (list === undefined) resources.set(name, [resource]);
    else list.push(resource);
  }
  return files
    .flatMap(({ package: name, options }) => (options?.['discovery_order'] === undefined ? [] : { name, options }))
    .sort((a, b) => number(a.options, 'discovery_order') - number(b.options, 'discovery_order'))
    .map(({ name, options }) => ({
      group: options['group'] as string,
      version: options['version'] as string,
      enabledByDefault: options['off_by_default'] !== true,
      ...(options['group_priority'] !== undefined
        ? { priority: { group: number(options, 'group_priority'), version: number(options, 'version_priority') } }
        : {}),
      resources: (resources.get(name) ?? []).sort((a, b) => (a.plural < b.plural ? -1 : 1)),
    }));
}

function number(options: ProtoOptions, name: string): number {
  return options[name] as number;
}
