import type { JsonObject } from '#base/json/json-value.ts';
import {
  any,
  atOnce,
  bool,
  type Contents,
  double,
  entry,
  entrySteps,
  type Field,
  int64,
  map,
  message,
  object,
  only,
  repeated,
  schemaSteps,
  string,
} from './wire-fields.ts';

// Wire numbers of an OpenAPI 2.0 document: openapiv2/OpenAPIv2.proto of google/gnostic.

const externalDocs: Field = message(object({ description: [1, string], url: [2, string] }, 3));

const { schemas } = schemaSteps({
  fields: {
    $ref: [1, string],
    format: [2, string],
    title: [3, string],
    description: [4, string],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, bool],
    minimum: [9, double],
    exclusiveMinimum: [10, bool],
    maxLength: [11, int64],
    minLength: [12, int64],
    pattern: [13, string],
    maxItems: [14, int64],
    minItems: [15, int64],
    uniqueItems: [16, bool],
    maxProperties: [17, int64],
    minProperties: [18, int64],
    required: [19, repeated(string)],
    enum: [20, repeated(any)],
    type: [22, message(only(1, repeated(string)))],
    allOf: [24, repeated((writer, number, value) => schema(writer, number, value))],
    externalDocs: [29, externalDocs],
    example: [30, any],
  },
  extensions: 31,
  properties: 25,
  items: 23,
  additionalProperties: 21,
  wraps: false,
});

const schema: Field = atOnce(schemas);

const bodyParameter: Field = message(
  object({ description: [1, string], name: [2, string], in: [3, string], required: [4, bool], schema: [5, schema] }, 6),
);

const queryParameter: Field = message(
  object(
    {
      required: [1, bool],
      in: [2, string],
      description: [3, string],
      name: [4, string],
      type: [6, string],
      format: [7, string],
      uniqueItems: [20, bool],
    },
    23,
  ),
);

const pathParameter: Field = message(
  object(
    {
      required: [1, bool],
      in: [2, string],
      description: [3, string],
      name: [4, string],
      type: [5, string],
      format: [6, string],
      uniqueItems: [19, bool],
    },
    22,
  ),
);

const parameter: Field = message((writer, value) => {
  const place = (value as JsonObject)['in'];
  if (place === 'body') bodyParameter(writer, 1, value);
  else message(only(place === 'path' ? 4 : 3, place === 'path' ? pathParameter : queryParameter))(writer, 2, value);
});

const parameters: Field = repeated(message(only(1, parameter)));

const response: Field = message(object({ description: [1, string], schema: [2, message(only(1, schema))] }, 5));

const operation: Field = message(
  object(
    {
      tags: [1, repeated(string)],
      summary: [2, string],
      description: [3, string],
      externalDocs: [4, externalDocs],
      operationId: [5, string],
      produces: [6, repeated(string)],
      consumes: [7, repeated(string)],
      parameters: [8, parameters],
      responses: [9, message(map(message(only(1, response))))],
      schemes: [10, repeated(string)],
      deprecated: [11, bool],
    },
    13,
  ),
);

const pathItem: Field = message(
  object(
    {
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      options: [6, operation],
      head: [7, operation],
      patch: [8, operation],
      parameters: [9, parameters],
    },
    10,
  ),
);

const apiKey = object({ type: [1, string], name: [2, string], in: [3, string], description: [4, string] }, 5);

/** The document without its maps of paths (8) and definitions (9). */
export const swaggerMembers: Contents = object({
  swagger: [1, string],
  info: [2, message(object({ title: [1, string], version: [2, string], description: [3, string] }, 7))],
  security: [12, repeated(message(map(message(only(1, repeated(string))))))],
  securityDefinitions: [13, message(map(message(only(2, message(apiKey)))))],
});

export const swaggerPath: Field = entry(pathItem);
export const swaggerDefinition = entrySteps(schemas);
