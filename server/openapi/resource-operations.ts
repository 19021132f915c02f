import type { Naming } from '#base/naming/naming.ts';
import type { MessageType, ScalarName, Schema } from '#schema/descriptors/types.ts';
import type { DocumentedResource, MessageDefinitions } from './message-definitions.ts';
import type { Definition, Method, Operation, OperationKind, Parameter } from './model.ts';
import { groupTitle, lowerFirst, upperFirst } from './operation-names.ts';

const PARAMETER_TYPES: Partial<Record<ScalarName, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
};

const ANYTHING = ['*/*'];

const TEXTS = ['application/json', 'application/yaml'];

const STRATEGIC = 'application/strategic-merge-patch+json';

const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  STRATEGIC,
  'application/apply-patch+yaml',
];

const RESOURCE_VERSION: Parameter = { name: 'resourceVersion', in: 'query', type: 'string' };

const PRETTY: Parameter = { name: 'pretty', in: 'query', type: 'string' };

const ONLY_WATCHES: ReadonlySet<string> = new Set(['watch', 'allowWatchBookmarks']);

/** Parameters in the path. */
export function inPath(...names: string[]): Parameter[] {
  return names.map((name) => ({ name, in: 'path', type: 'string' }));
}

/** Query parameters for the plain fields of an options message. A query cannot contain structures. */
export function queryOf(options: MessageType): Parameter[] {
  return options.jsonFields.flatMap((field) => {
    const type = field.scalar && PARAMETER_TYPES[field.scalar];
    return type === undefined ? [] : [{ name: field.name, in: 'query' as const, type }];
  });
}

/** The inputs for the operations of all built-in resources. */
export interface OperationsOptions {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly definitions: MessageDefinitions;
}

/** A collection, an object or a view of an object: its path, and its words in operation ids. */
export interface Place {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** `NamespacedPod`, `NamespacedPodStatus`. */
  readonly words: string;
}

/** The object that an operation reads or writes. */
export interface Typed {
  readonly content: Definition;
  readonly kind: OperationKind;
}

/** The operations of one resource, for any path. */
export class ResourceOperations {
  /** The objects that the resource's own operations read and write. */
  readonly own: Typed;
  readonly #options: OperationsOptions;
  readonly #served: DocumentedResource;
  readonly #title: string;
  readonly #tag: string;
  /**
   * Whether users define the resource. If so, its objects are read and written only as JSON and YAML, and it has
   * shorter descriptions.
   */
  readonly #isCustom: boolean;
  readonly #produces: readonly string[];
  readonly #streams: readonly string[];

  constructor(options: OperationsOptions, served: DocumentedResource) {
    const { group, version, type, model } = served;
    const title = groupTitle(type.group);
    const protobuf = options.naming.protobufMediaType;
    this.#options = options;
    this.#served = served;
    this.#title = title + upperFirst(version);
    this.#tag = `${lowerFirst(title)}_${version}`;
    this.#isCustom = model.message === undefined;
    this.#produces = this.#isCustom ? TEXTS : [...TEXTS, protobuf];
    this.#streams = [...this.#produces, 'application/json;stream=watch', `${protobuf};stream=watch`];
    this.own = { content: options.definitions.ofModel(model), kind: { group, version, kind: type.kind } };
  }

  list(place: Place, suffix: string): Operation {
    return {
      ...this.#operation('list', place, 'list', ['ListOptions'], this.own.kind, suffix),
      // The field's documents name the stream types even for lists that cannot be watched.
      produces: this.#isCustom ? this.#produces : this.#streams,
      responses: { 200: this.#options.definitions.ofList(this.#served) },
    };
  }

  /** An operation of the old paths of watches. */
  watch(place: Place, action: 'watch' | 'watchlist', suffix: string): Operation {
    return {
      ...this.#operation('watch', place, action, ['ListOptions'], this.own.kind, suffix),
      produces: this.#streams,
      responses: { 200: this.#meta('WatchEvent') },
    };
  }

  create(place: Place, { content, kind }: Typed): Operation {
    return {
      ...this.#operation('create', place, 'post', ['CreateOptions'], kind),
      body: { definition: content, required: true },
      responses: { 200: content, 201: content, 202: content },
    };
  }

  read(place: Place, { content, kind }: Typed): Operation {
    const base = this.#operation('read', place, 'get', [], kind);
    const parameters = this.#isCustom ? [...base.parameters, RESOURCE_VERSION] : base.parameters;
    return { ...base, parameters, responses: { 200: content } };
  }

  /** Reads something that is not an object, for example logs. */
  readText(place: Place, kind: OperationKind, options: MessageType): Operation {
    const base = this.#operation('read', place, 'get', [], kind);
    return {
      ...base,
      produces: ['text/plain', ...this.#produces],
      parameters: [...base.parameters, ...queryOf(options)],
      responses: { 200: 'text' },
    };
  }

  replace(place: Place, { content, kind }: Typed): Operation {
    return {
      ...this.#operation('replace', place, 'put', ['UpdateOptions'], kind),
      body: { definition: content, required: true },
      responses: { 200: content, 201: content },
    };
  }

  patch(place: Place, { content, kind }: Typed): Operation {
    return {
      ...this.#operation('patch', place, 'patch', ['PatchOptions'], kind),
      consumes: this.#isCustom ? PATCHES.filter((type) => type !== STRATEGIC) : PATCHES,
      body: { definition: this.#meta('Patch'), required: true },
      responses: this.#isCustom ? { 200: content } : { 200: content, 201: content },
    };
  }

  delete(place: Place): Operation {
    const answer = this.#served.type.deleteAnswersObject ? this.own.content : this.#meta('Status');
    return {
      ...this.#operation('delete', place, 'delete', ['DeleteOptions'], this.own.kind),
      body: { definition: this.#meta('DeleteOptions'), required: false },
      responses: { 200: answer, 202: answer },
    };
  }

  deleteCollection(place: Place): Operation {
    const collection = { ...place, words: `Collection${place.words}` };
    if (this.#isCustom) {
      const base = this.#operation('delete', collection, 'deletecollection', ['ListOptions'], this.own.kind);
      return { ...base, responses: { 200: this.#meta('Status') } };
    }
    const options = ['ListOptions', 'DeleteOptions'];
    const base = this.#operation('delete', collection, 'deletecollection', options, this.own.kind);
    return {
      ...base,
      parameters: base.parameters.filter(({ name }) => !ONLY_WATCHES.has(name)),
      body: { definition: this.#meta('DeleteOptions'), required: false },
      responses: { 200: this.#meta('Status') },
    };
  }

  /** Forwards a request to another program. The caller gives all parameters. */
  connect(method: Method, place: Place, kind: OperationKind): Operation {
    return {
      id: `connect${this.#title}${upperFirst(method)}${place.words}`,
      tag: this.#tag,
      consumes: ANYTHING,
      produces: ANYTHING,
      parameters: place.parameters,
      responses: { 200: 'text' },
      action: 'connect',
      kind,
    };
  }

  #meta(name: string): Definition {
    return this.#options.definitions.of(this.#options.schema.message(`meta.v1.${name}`));
  }

  #operation(
    verb: string,
    place: Place,
    action: string,
    options: readonly string[],
    kind: OperationKind,
    suffix = '',
  ): Omit<Operation, 'responses' | 'body'> {
    const query = options
      .flatMap((name) => queryOf(this.#options.schema.message(`meta.v1.${name}`)))
      .filter(({ name }) => !this.#isCustom || name !== 'force');
    return {
      id: `${verb}${this.#title}${place.words}${suffix}`,
      tag: this.#tag,
      consumes: this.#isCustom ? TEXTS : ANYTHING,
      produces: this.#produces,
      parameters: [...place.parameters, PRETTY, ...query],
      action,
      kind,
    };
  }
}
