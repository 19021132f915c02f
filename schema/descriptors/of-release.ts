import type { Release, ReleaseName } from '#base/release/release.ts';
import { ProtoError, type ProtoField, type ProtoFile, type ProtoMessage, type ProtoOptions } from './proto-data.ts';
import { storageId } from './storage-id.ts';

/** The parts of the option `resource` that this file reads; see build-resources.ts. */
interface DatedResource {
  readonly plural: string;
  readonly virtual?: boolean;
  readonly storage?: { readonly group?: string; readonly version?: string };
  readonly lifecycle?: { readonly removed?: string };
  readonly subresources?: readonly (Dated & { readonly name: string; readonly kind?: string })[];
  readonly selectable_fields?: readonly string[];
  readonly generation?: string | undefined;
  readonly columns?: readonly (Dated & { readonly name: string })[];
  /**
   * The indexes of the columns among the columns of all releases, if some are left out. This field is not in
   * options.proto.
   */
  readonly cells?: readonly number[];
}

/** The dates of a part: the first and the last release that have it. */
interface Dated {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Options of a field and members of a resource that are lists of words. Each word may name the first release that has
 * it.
 */
const WORDS_OF_FIELDS = ['enum', 'list_map_keys', 'patch_strategy', 'text_format'] as const;
const WORDS_OF_RESOURCES = ['verbs', 'short_names', 'categories', 'selectable_fields'] as const;

/**
 * The parts of `proto/` that one release has. Versions, kinds, fields, enum values, subresources and columns of other
 * releases are removed. A kind may be stored in a version that the release does not serve. Such a kind stays and is
 * marked `unserved`, so that stored objects can be read. Without a release everything stays, because the types of
 * programs know all releases. Parts that are equal in every release are shared and not copied.
 * @throws ProtoError if a file does not name a release in the form `1.29`
 */
export function filesOfRelease(files: readonly ProtoFile[], release: Release | undefined): ProtoFile[] {
  const served = new Served(release);
  const stored = storagesInForce(files, served);
  return files.map((file) => {
    const fileServed = served.has(datesOf(file.options, 'version_'));
    const all = keep(file.messages, (message) => ofMessage(file, message, fileServed, served, stored));
    const messages = all === file.messages ? all : withItems(all);
    const comes = !fileServed && !served.has({ ...datesOf(file.options, 'version_'), until: undefined });
    if (!comes || messages.some(isResource)) return changed(file, { messages });
    const { discovery_order: _order, ...options } = file.options!;
    return { ...file, messages, options };
  });
}

/** Decides whether a part with certain dates is in a release. */
class Served {
  readonly release: Release | undefined;

  constructor(release: Release | undefined) {
    this.release = release;
  }

  has({ since, until }: Dated): boolean {
    if (this.release === undefined || (since === undefined && until === undefined)) return true;
    try {
      return this.release.serves({ since: since as ReleaseName, until: until as ReleaseName });
    } catch (error) {
      throw new ProtoError((error as Error).message);
    }
  }

  /**
   * A word without its dates (`Never@1.29`, `Always@-1.30`, `Once@1.27-1.30`); undefined if the release does not have
   * it.
   */
  word(text: string): string | undefined {
    const at = text.indexOf('@');
    if (at < 0) return text;
    const [since = '', until = ''] = text.slice(at + 1).split('-');
    const dates = { ...(since !== '' && { since }), ...(until !== '' && { until }) };
    return this.has(dates) ? text.slice(0, at) : undefined;
  }

  words(words: readonly string[]): readonly string[] {
    return keep(words, (word) => this.word(word));
  }
}

/**
 * Everything that rules and handlers may name in some release, in the notation of registration.ts: the identities of
 * resources, their versions, subresources and field labels.
 */
export function everRegistered(files: readonly ProtoFile[]): ReadonlySet<string> {
  const all = new Served(undefined);
  const found = new Set<string>();
  for (const { options, messages } of files) {
    for (const message of messages) {
      const resource = resourceOf(message);
      if (resource === undefined) continue;
      const own = (options?.['group'] ?? '') as string;
      const group = resource.storage?.group ?? own;
      const id = storageId(group, resource.plural);
      const version = options?.['version'] as string;
      found.add(id).add(versionOf(id, group === own ? version : `${own}/${version}`));
      const { subresources, selectable_fields: labels = [] } = ofResource(resource, all);
      for (const { name, kind } of subresources ?? []) {
        found.add(`${id}/${name}`);
        if (kind !== undefined) found.add(`view of ${kind}`);
      }
      for (const label of labels) found.add(labelOf(id, label));
    }
  }
  return found;
}

/** The name of a version of a kind in {@link everRegistered}. `key` comes from `versionKey`. */
export function versionOf(id: string, key: string): string {
  return `${id} in ${key}`;
}

/** The name of a label of field selectors in {@link everRegistered}. */
export function labelOf(id: string, label: string): string {
  return `${id} by ${label}`;
}

/** The storage identities for which at least one version is served. */
function storagesInForce(files: readonly ProtoFile[], served: Served): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of files) {
    const fileServed = served.has(datesOf(file.options, 'version_'));
    for (const message of file.messages) {
      const resource = resourceOf(message);
      if (resource === undefined || resource.virtual || !fileServed) continue;
      if (isServed(message, resource, served)) found.add(identityOf(file, resource));
    }
  }
  return found;
}

/** The messages without the lists of kinds that the release does not have. */
function withItems(messages: readonly ProtoMessage[]): readonly ProtoMessage[] {
  const names = new Set(messages.map(({ name }) => name));
  return messages.filter(({ name, fields }) => {
    const items = name.endsWith('List') ? fields.find((field) => field.name === 'items') : undefined;
    return items === undefined || items.type !== name.slice(0, -'List'.length) || names.has(items.type);
  });
}

function isResource(message: ProtoMessage): boolean {
  return message.options?.['resource'] !== undefined;
}

function isServed(message: ProtoMessage, resource: DatedResource, served: Served): boolean {
  const removed = resource.lifecycle?.removed;
  return served.has(datesOf(message.options, 'kind_')) && (removed === undefined || served.has({ until: removed }));
}

function identityOf(file: ProtoFile, { storage, plural }: DatedResource): string {
  return `${storage?.group ?? (file.options?.['group'] as string)}/${plural}`;
}

function resourceOf(message: ProtoMessage): DatedResource | undefined {
  return message.options?.['resource'] as DatedResource | undefined;
}

/** The dates in options. The prefix of the option names depends on the declared part. */
function datesOf(options: ProtoOptions | undefined, of: '' | 'version_' | 'kind_'): Dated {
  if (options === undefined) return NONE;
  return { since: options[`${of}since`] as string | undefined, until: options[`${of}until`] as string | undefined };
}

const NONE: Dated = {};

/** A message in the release; undefined if the release does not have it. */
function ofMessage(
  file: ProtoFile,
  message: ProtoMessage,
  fileServed: boolean,
  served: Served,
  stored: ReadonlySet<string>,
): ProtoMessage | undefined {
  const resource = resourceOf(message);
  const there =
    resource === undefined ? served.has(datesOf(message.options, 'kind_')) : isServed(message, resource, served);
  const options = ofMessageWords(message.options, served);
  const off = message.fields.filter((field) => isOff(field, served));
  const fields = keep(message.fields, (field) => ofField(field, served));
  const own = { fields, ...(off.length > 0 && { off }), ...(options !== undefined && { options }) };
  if (resource === undefined) return there ? changed(message, own) : undefined;
  if (there && fileServed) {
    const ownResource = ofResource(resource, served);
    const differs = ownResource !== resource;
    return changed(message, { ...own, ...(differs && { options: { ...options, resource: ownResource } }) });
  }
  const needed = !resource.virtual && stored.has(identityOf(file, resource)) && mayBeStored(file, message, served);
  if (!needed) return there ? changed(message, { ...own, options: without(options) }) : undefined;
  return changed(message, { ...own, options: { ...options, resource: { ...resource, unserved: true } } });
}

/**
 * The options of a message. Of the words for the owners of its fields, only the word of the release remains, if there
 * is one.
 */
function ofMessageWords(options: ProtoOptions | undefined, served: Served): ProtoOptions | undefined {
  const mapType = options?.['map_type'] as string | undefined;
  if (mapType?.includes('@') !== true) return options;
  const { map_type: _mapType, ...others } = options!;
  const word = served.word(mapType);
  return word === undefined ? others : { ...others, map_type: word };
}

/**
 * Whether objects may be stored in a version that is not served. This is so if it was served once, or if it is the
 * storage version.
 */
function mayBeStored(file: ProtoFile, message: ProtoMessage, served: Served): boolean {
  if (resourceOf(message)?.storage?.version === undefined) return true;
  return [datesOf(file.options, 'version_'), datesOf(message.options, 'kind_')].every(({ since }) =>
    served.has({ since }),
  );
}

/** The options of a message without its resource. */
function without(options: ProtoOptions | undefined): ProtoOptions {
  const { resource: _resource, ...rest } = options ?? {};
  return rest;
}

/** Whether the release knows a field whose feature is off. */
function isOff({ options }: ProtoField, served: Served): boolean {
  const off = options?.['off'] as string | undefined;
  if (off === undefined || served.release === undefined) return false;
  return served.has({ since: off, until: options!['since'] as string | undefined });
}

function ofField(field: ProtoField, served: Served): ProtoField | undefined {
  const { options } = field;
  if (options === undefined) return field;
  if (!served.has(datesOf(options, ''))) return undefined;
  if (options['off'] !== undefined && options['since'] === undefined) return undefined;
  const keptUntil = options['kept_until'] as string | undefined;
  if (keptUntil !== undefined && served.release !== undefined && !served.has({ until: keptUntil })) {
    const { keep: _keep, kept_until: _keptUntil, ...others } = options;
    return ofField({ ...field, optional: true, options: others }, served);
  }
  const later = options['type_later'] as string | undefined;
  if (later !== undefined) {
    const { type_later: _later, ...others } = options;
    return ofField({ ...field, type: served.word(later) ?? field.type, options: others }, served);
  }
  const immutableUntil = options['immutable_until'] as string | undefined;
  if (immutableUntil !== undefined && !served.has({ until: immutableUntil })) {
    const { immutable: _immutable, immutable_until: _immutableUntil, ...others } = options;
    return ofField({ ...field, options: others }, served);
  }
  let own = options;
  for (const name of WORDS_OF_FIELDS) {
    const text = options[name] as string | undefined;
    if (text?.includes('@')) own = { ...own, [name]: served.words(text.split('|')).join('|') };
  }
  return own === options ? field : { ...field, options: own };
}

function ofResource(resource: DatedResource, served: Served): DatedResource {
  let own: DatedResource = resource;
  for (const name of ['subresources', 'columns'] as const) {
    const all = resource[name];
    if (all === undefined) continue;
    const left = keep<Dated & { readonly name: string }>(all, (each) => (served.has(each) ? each : undefined));
    if (left === all) continue;
    own = { ...own, [name]: left };
    if (name === 'columns') own = { ...own, cells: left.map((column) => all.indexOf(column)) };
  }
  const generation = resource.generation === undefined ? undefined : served.word(resource.generation);
  if (generation !== resource.generation) own = { ...own, generation };
  for (const name of WORDS_OF_RESOURCES) {
    const all = (resource as unknown as Record<string, readonly string[] | undefined>)[name];
    if (all === undefined) continue;
    const left = served.words(all);
    if (left !== all) own = { ...own, [name]: left };
  }
  return own;
}

/**
 * The results of a function for the items of a list, without undefined ones. If nothing changes, it is the list itself.
 */
function keep<T>(items: readonly T[], of: (item: T) => T | undefined): readonly T[] {
  let same = true;
  const kept: T[] = [];
  for (const item of items) {
    const own = of(item);
    if (own !== item) same = false;
    if (own !== undefined) kept.push(own);
  }
  return same ? items : kept;
}

/** The value with changed members. If no member changes, it is the value itself. */
function changed<T extends object>(value: T, members: Partial<T>): T {
  const same = Object.entries(members).every(([name, member]) => value[name as keyof T] === member);
  return same ? value : { ...value, ...members };
}
