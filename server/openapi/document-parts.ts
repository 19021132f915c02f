import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { type Definition, type Form, type PathItem, reachable } from './model.ts';
import { upperFirst } from './operation-names.ts';
import { pathSchema } from './path-schemas.ts';

/** An entry of a large map. It is made when it is written. */
export type Entry = readonly [name: string, make: () => JsonObject | Promise<JsonObject>];

/** The large maps of a document. They are never completely in memory. */
export interface Maps {
  readonly paths: readonly Entry[];
  readonly definitions: readonly Entry[];
}

/** The members of a document, except its large maps. */
export interface DocumentSkeleton {
  readonly head: JsonObject;
  /** The text after the maps. In v3 it comes next to the definitions. */
  readonly tail: JsonObject;
}

const BEARER_TOKEN: JsonObject = {
  description: 'Bearer Token authentication',
  type: 'apiKey',
  name: 'authorization',
  in: 'header',
};

/** The name of documents of custom kinds, in every naming. */
const CUSTOM_INFO: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

/** The maps of some paths and of the definitions that they need, in a form of documents. */
export function entriesOf(form: Form, naming: Naming, items: ReadonlyMap<string, PathItem>): Maps {
  return { paths: pathEntries(form, naming, items), definitions: describedEntries(form, reachable(items.values())) };
}

/** The entries of some paths, sorted. */
export function pathEntries(form: Form, naming: Naming, items: ReadonlyMap<string, PathItem>): Entry[] {
  const paths = [...items].sort(([a], [b]) => (a < b ? -1 : 1));
  return paths.map(([path, item]) => [path, () => pathSchema(item, form, naming)]);
}

/** The entries of some definitions, in their order, without the words of `proto/`. */
export function definitionEntries(form: Form, definitions: readonly Definition[]): Entry[] {
  return definitions.map((one) => [one.name, () => one.schema(form)]);
}

/** The entries of some definitions in the form of documents, in their order. */
export function describedEntries(form: Form, definitions: readonly Definition[]): Entry[] {
  return definitions.map((one) => [one.name, () => one.described?.(form) ?? one.schema(form)]);
}

function info(naming: Naming, { gitVersion }: Release): JsonObject {
  return { title: upperFirst(naming.product), version: gitVersion };
}

/** The members of the OpenAPI 2.0 document besides its maps. */
export function skeletonV2(naming: Naming, release: Release): DocumentSkeleton {
  return {
    head: { swagger: '2.0', info: info(naming, release) },
    tail: { securityDefinitions: { BearerToken: BEARER_TOKEN }, security: [{ BearerToken: [] }] },
  };
}

/** The members of an OpenAPI 3.0 document besides its maps. `custom` is set if users define its kinds. */
export function skeletonV3(naming: Naming, release: Release, custom = false): DocumentSkeleton {
  return {
    head: { openapi: '3.0.0', info: custom ? CUSTOM_INFO : info(naming, release) },
    tail: custom ? {} : { securitySchemes: { BearerToken: BEARER_TOKEN } },
  };
}
