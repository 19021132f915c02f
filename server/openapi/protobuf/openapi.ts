import type { JsonValue } from '#base/json/json-value.ts';
import {
  any,
  atOnce,
  bool,
  type Contents,
  double,
  entry,
  entrySteps,
  type Field,
  type Fields,
  int64,
  map,
  message,
  object,
  orReference,
  repeated,
  schemaSteps,
  string,
} from './wire-fields.ts';

// Wire numbers of an OpenAPI 3.0 document: openapiv3/OpenAPIv3.proto of google/gnostic.

const externalDocs: Field = message(object({ description: [1, string], url: [2, string] }, 3));

/** A default in this form is a single value. Other defaults cannot be expressed. */
const defaultValue: Field = (writer, number, value: JsonValue) => {
  if (typeof value === 'object') return;
  message((inner) => {
    if (typeof value === 'number') double(inner, 1, value);
    else if (typeof value === 'boolean') bool(inner, 2, value);
    else string(inner, 3, value);
  })(writer, number, value);
};

const one: Field = (writer, number, value) => schema(writer, number, value);

const fields: Fields = {
  nullable: [1, bool],
  readOnly: [3, bool],
  writeOnly: [4, bool],
  externalDocs: [6, externalDocs],
  example: [7, any],
  deprecated: [8, bool],
  title: [9, string],
  multipleOf: [10, double],
  maximum: [11, double],
  exclusiveMaximum: [12, bool],
  minimum: [13, double],
  exclusiveMinimum: [14, bool],
  maxLength: [15, int64],
  minLength: [16, int64],
  pattern: [17, string],
  maxItems: [18, int64],
  minItems: [19, int64],
  uniqueItems: [20, bool],
  maxProperties: [21, int64],
  minProperties: [22, int64],
  required: [23, repeated(string)],
  enum: [24, repeated(any)],
  type: [25, string],
  allOf: [26, repeated(one)],
  oneOf: [27, repeated(one)],
  anyOf: [28, repeated(one)],
  not: [29, (writer, number, value) => atOnce(bare)(writer, number, value)],
  default: [33, defaultValue],
  description: [34, string],
  format: [35, string],
};

const { schemas, bare } = schemaSteps({
  fields,
  extensions: 36,
  properties: 31,
  items: 30,
  additionalProperties: 32,
  wraps: true,
});

const schema: Field = atOnce(schemas);

const mediaTypes: Field = message(map(message(object({ schema: [1, schema] }, 5))));

const parameter: Field = orReference(
  object(
    { name: [1, string], in: [2, string], description: [3, string], required: [4, bool], schema: [10, schema] },
    14,
  ),
);

const requestBody: Field = orReference(
  object({ description: [1, string], content: [2, mediaTypes], required: [3, bool] }, 4),
);

const response: Field = orReference(object({ description: [1, string], content: [3, mediaTypes] }, 5));

const operation: Field = message(
  object(
    {
      tags: [1, repeated(string)],
      summary: [2, string],
      description: [3, string],
      externalDocs: [4, externalDocs],
      operationId: [5, string],
      parameters: [6, repeated(parameter)],
      requestBody: [7, requestBody],
      responses: [8, message(map(response, 2))],
      deprecated: [10, bool],
    },
    13,
  ),
);

const pathItem: Field = message(
  object(
    {
      get: [4, operation],
      put: [5, operation],
      post: [6, operation],
      delete: [7, operation],
      options: [8, operation],
      head: [9, operation],
      patch: [10, operation],
      parameters: [13, repeated(parameter)],
    },
    14,
  ),
);

const securityScheme = object({ type: [1, string], description: [2, string], name: [3, string], in: [4, string] }, 9);

/** The document without its map of paths (4) and its components (5). */
export const openapiMembers: Contents = object({
  openapi: [1, string],
  info: [2, message(object({ title: [1, string], description: [2, string], version: [6, string] }, 7))],
});

/** Components without the map of schemas (1). */
export const componentMembers: Contents = object({ securitySchemes: [7, message(map(orReference(securityScheme)))] });

export const openapiPath: Field = entry(pathItem);
export const openapiDefinition = entrySteps(schemas);
