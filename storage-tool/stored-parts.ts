import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type Release, releases } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, MessageType, Schema } from '#schema/descriptors/types.ts';
import type { BuiltIn } from './data.ts';

/** The releases that have a part, by the description of the part. */
type Parts = Map<string, readonly Release[]>;

/** Finds the parts of stored objects that only some releases have. */
export class StoredParts {
  readonly #naming: Naming;
  readonly #schemas = releases.map((release) => [release, () => loadSchema(this.#naming, release)] as const);
  /** The results of earlier questions, by the question. */
  readonly #known = new Map<string, readonly Release[]>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /**
   * The parts of an object that only some releases have. If a kind exists only since a later release, its fields of
   * that release are not listed.
   */
  of(id: string, { type, versions }: BuiltIn, object: JsonObject): Parts {
    const found: Parts = new Map();
    const apiVersion = String(object['apiVersion'] ?? '');
    const stored = versions.get(apiVersion) ?? type;
    const kind = this.#having(`kind ${id}`, (schema) => readableVersions(schema, id, this.#naming).size > 0);
    const version = this.#having(`version ${id} ${apiVersion}`, (schema) =>
      readableVersions(schema, id, this.#naming).has(apiVersion),
    );
    note(found, `kind ${type.kind}`, kind, releases);
    note(found, `version ${apiVersion}`, version, kind);
    this.#fields(stored.message, object, { path: '', above: [], found, all: version });
    return found;
  }

  #fields(message: MessageType, object: JsonObject, at: Place): void {
    for (const field of message.jsonFields) {
      const value = object[field.name];
      if (value === undefined || value === null) continue;
      const path = at.path === '' ? field.name : `${at.path}.${field.name}`;
      const having = this.#having(`field ${message.name} ${field.name}`, (schema) =>
        schema.messages.get(message.name)?.byJsonName.has(field.name),
      );
      note(at.found, `field ${path}`, having, at.all);
      const own = { ...at, path, all: having.length < at.all.length ? having : at.all };
      for (const [item, more] of itemsOf(field, value))
        this.#value(message, field, item, { ...own, path: path + more });
    }
  }

  #value(owner: MessageType, field: FieldType, value: JsonValue, at: Place): void {
    const { message } = field;
    if (message === undefined) {
      if (field.enum === undefined || typeof value !== 'string' || !field.enum.includes(value)) return;
      const having = this.#having(`value ${owner.name} ${field.name} ${value}`, (schema) => {
        const there = schema.messages.get(owner.name)?.byJsonName.get(field.name);
        return there !== undefined && (there.enum === undefined || there.enum.includes(value));
      });
      note(at.found, `value ${value} of ${at.path}`, having, at.all);
      return;
    }
    this.#message(message, value, at);
  }

  #message(message: MessageType, value: JsonValue, at: Place): void {
    const { jsonForm, name } = message;
    if (Array.isArray(value)) {
      if (jsonForm !== 'object') for (const item of value) this.#message(message, item, at);
      return;
    }
    if (!isObject(value)) return;
    if (jsonForm === 'schema-or-array' || jsonForm === 'schema-or-bool' || jsonForm === 'schema-or-strings') {
      const schema = message.fields.find((field) => field.message !== undefined && !field.repeated)?.message;
      if (schema !== undefined) this.#message(schema, value, at);
      return;
    }
    if (jsonForm !== 'object') return;
    // A schema may contain schemas at any depth. All of them have the same description.
    const outer = at.above.find(([above]) => above === name);
    if (outer === undefined) this.#fields(message, value, { ...at, above: [...at.above, [name, at.path]] });
    else this.#fields(message, value, { ...at, path: `${outer[1]}.` });
  }

  /** The releases for whose schema a condition is true. */
  #having(question: string, isTrue: (schema: Schema) => boolean | undefined): readonly Release[] {
    let known = this.#known.get(question);
    if (known === undefined) {
      known = this.#schemas.filter(([, schema]) => isTrue(schema()) === true).map(([release]) => release);
      this.#known.set(question, known);
    }
    return known;
  }
}

/** The place in an object that the search has reached. */
interface Place {
  readonly path: string;
  /** The messages around this place, with their paths. */
  readonly above: readonly (readonly [message: string, path: string])[];
  readonly found: Parts;
  /** The releases that have the parts around this place. */
  readonly all: readonly Release[];
}

/** Records a part that fewer releases have than the parts around it. */
function note(found: Parts, part: string, having: readonly Release[], around: readonly Release[]): void {
  if (around.some((release) => !having.includes(release))) found.set(part, having);
}

/** The values in a field that have the type of the field, each with the rest of its path. */
function itemsOf(field: FieldType, value: JsonValue): (readonly [item: JsonValue, more: string])[] {
  if (field.map) return isObject(value) ? Object.values(value).map((item) => [item!, '.*'] as const) : [];
  if (field.repeated) return Array.isArray(value) ? value.map((item) => [item, '[]'] as const) : [];
  return [[value, '']];
}

/** The versions of a kind in which a release can read stored objects. */
function readableVersions(schema: Schema, id: string, naming: Naming): Set<string> {
  const found = new Set<string>();
  for (const { group, resources } of schema.groupVersions)
    for (const { storage, plural, version } of resources)
      if (storage?.plural === plural && `${storage.group || 'core'}/${plural}` === id)
        found.add(naming.apiVersion(group, version));
  return found;
}
