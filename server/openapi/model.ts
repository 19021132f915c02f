import type { JsonObject } from '#base/json/json-value.ts';

/** The two generations of published documents: OpenAPI 2.0 (one for everything) and 3.0 (one per group version). */
export type Form = 'v2' | 'v3';

/** A named schema to which operations and other schemas refer. */
export interface Definition {
  /** The name in `$ref`, after the prefix of the form: see `reference`. */
  readonly name: string;
  /** The schemas to which this one refers. */
  readonly references: readonly Definition[];
  /** Whether it belongs to a custom kind. It then appears only in the documents of that kind. */
  readonly custom?: true;
  /** The schema. It is a promise for a large schema of a user-defined kind. The caller may change the result. */
  schema(form: Form): JsonObject | Promise<JsonObject>;
  /** The schema with descriptions; absent if {@link schema} has them, or if there are none. */
  described?(form: Form): Promise<JsonObject>;
}

/** The path under which a form keeps its named schemas. */
const PREFIXES: Readonly<Record<Form, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' };

/** The schema that refers to a definition. */
export function reference(definition: Pick<Definition, 'name'>, form: Form): JsonObject {
  return { $ref: PREFIXES[form] + definition.name };
}

/** A parameter of the path or the query. A repeated one is published with the type of one value. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: string;
}

/** The content of an answer: an object of a definition, plain text, or content without a description. */
export type Content = Definition | 'text' | undefined;

/** The group, version and kind of an operation. The group has the form of the path. */
export interface OperationKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** Media types; absent by default. */
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly definition: Definition; readonly required: boolean };
  /** The answers by status code. Every operation may also answer 401. */
  readonly responses: Readonly<Record<number, Content>>;
  readonly action?: string;
  readonly kind?: OperationKind;
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** The operations of one path. */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

/** Operations by path, with parameters as `{name}`. */
export type Paths = ReadonlyMap<string, PathItem>;

/** A part of the API, for example `apis/apps/v1`. */
export interface Section {
  /** The path of its v3 document below `/openapi/v3/`. */
  readonly key: string;
  /** Whether it is only in the v2 document. */
  readonly onlyV2?: boolean;
  /** The kinds that users have defined in it; undefined if it is built in. */
  readonly kinds?: readonly DocumentedKind[];
  /** The paths. They are made for every document and not kept. Empty for a section with kinds. */
  paths(): Paths;
}

/** The documents of one custom kind in one version. */
export interface DocumentedKind {
  /** A hash that is equal on all replicas and changes with the content. It may take milliseconds. */
  hash(): Promise<string>;
  /** Like {@link Section.paths}. */
  paths(): Paths;
}

/** All definitions that operations need, sorted by name. */
export function reachable(items: Iterable<PathItem>): Definition[] {
  const found = new Map<string, Definition>();
  const visit = (definition: Definition): void => {
    if (found.has(definition.name)) return;
    found.set(definition.name, definition);
    for (const next of definition.references) visit(next);
  };
  for (const item of items) {
    for (const operation of Object.values(item)) {
      if (operation.body !== undefined) visit(operation.body.definition);
      for (const content of Object.values(operation.responses)) {
        if (content !== undefined && content !== 'text') visit(content);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Parameters in the order of publication. */
export function sortParameters(parameters: readonly Parameter[]): Parameter[] {
  const key = (parameter: Parameter): string => `${parameter.name} ${parameter.in}`;
  return [...parameters].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The parameters that all operations of a path share. They are published once, next to the operations. */
export function sharedParameters(item: PathItem): Parameter[] {
  const [first, ...others] = Object.values(item);
  if (first === undefined) return [];
  const shared = first.parameters.filter((one) => others.every(({ parameters }) => hasParameter(parameters, one)));
  return sortParameters(shared);
}

/** Whether a list has a parameter with the same name and place. */
export function hasParameter(list: readonly Parameter[], wanted: Parameter): boolean {
  return list.some((one) => one.name === wanted.name && one.in === wanted.in);
}
