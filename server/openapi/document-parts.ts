import { RELEASE } from '../flags/release.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Naming } from '../naming/naming.ts';
import { type Definition, type Form, type PathItem, reachable } from './model.ts';
import { upperFirst } from './operation-names.ts';
import { pathSchema } from './path-schemas.ts';

/** An entry of a large map, made when it is written. */
export type Entry = readonly [name: string, make: () => JsonObject];

/** A document in the pieces in which it is written: its large maps are never in memory as a whole. */
export interface DocumentParts {
  readonly form: Form;
  readonly head: JsonObject;
  readonly paths: readonly Entry[];
  readonly definitions: readonly Entry[];
  /** What follows the maps; in v3 it stands beside the definitions. */
  readonly tail: JsonObject;
}

const BEARER_TOKEN: JsonObject = {
  description: 'Bearer Token authentication',
  type: 'apiKey',
  name: 'authorization',
  in: 'header',
};

/** What documents of custom kinds are called, whatever the product. */
const CUSTOM_INFO: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

function entries(
  form: Form,
  naming: Naming,
  items: ReadonlyMap<string, PathItem>,
): Pick<DocumentParts, 'form' | 'paths' | 'definitions'> {
  const paths = [...items].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    form,
    paths: paths.map(([path, item]) => [path, () => pathSchema(item, form, naming)]),
    definitions: reachable(items.values()).map((one: Definition) => [one.name, () => one.schema(form)]),
  };
}

function info(naming: Naming): JsonObject {
  return { title: upperFirst(naming.product), version: RELEASE.gitVersion };
}

/** The one document of OpenAPI 2.0. */
export function partsV2(naming: Naming, items: ReadonlyMap<string, PathItem>): DocumentParts {
  return {
    ...entries('v2', naming, items),
    head: { swagger: '2.0', info: info(naming) },
    tail: { securityDefinitions: { BearerToken: BEARER_TOKEN }, security: [{ BearerToken: [] }] },
  };
}

/** A document of OpenAPI 3.0; `custom` where its kinds are defined by users. */
export function partsV3(naming: Naming, items: ReadonlyMap<string, PathItem>, custom = false): DocumentParts {
  return {
    ...entries('v3', naming, items),
    head: { openapi: '3.0.0', info: custom ? CUSTOM_INFO : info(naming) },
    tail: custom ? {} : { securitySchemes: { BearerToken: BEARER_TOKEN } },
  };
}
