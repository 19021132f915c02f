import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { DocumentSkeleton, Entry, Maps } from './document-parts.ts';

/**
 * The largest number of characters by which a document may grow because of schemas that are repeated for each media
 * type.
 */
const MAX_COPIED = 8 << 20;

/** The places in 3.0 of the OpenAPI 2.0 parts to which references point. */
const MOVED: readonly (readonly [from: string, to: string])[] = [
  ['#/definitions/', '#/components/schemas/'],
  ['#/parameters/', '#/components/parameters/'],
  ['#/responses/', '#/components/responses/'],
];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** Members that mean the same in both forms, in the order in which they are written. */
const SAME = {
  operation: ['tags', 'summary', 'description', 'externalDocs', 'operationId'],
  parameter: ['name', 'in', 'description', 'required', 'allowEmptyValue'],
  simple: ['type', 'format', 'uniqueItems'],
  scheme: ['type', 'description', 'name', 'in'],
} as const;

/** Members of a schema that contain schemas, by their form. */
const SCHEMA_MAPS = ['properties', 'patternProperties', 'definitions'];
const SCHEMAS = ['items', 'additionalProperties', 'additionalItems', 'allOf', 'anyOf', 'oneOf', 'not'];

function objectIn(value: JsonObject, key: string): JsonObject {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

function listIn(value: JsonObject, key: string): JsonValue[] {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

function texts(list: readonly JsonValue[]): string[] {
  return list.filter((one) => typeof one === 'string');
}

function mapped(object: JsonObject, convert: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (isObject(value) ? [[name, convert(value)] as const] : [])),
  );
}

function kept(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]!] as const),
  );
}

function extensions(value: JsonObject): JsonObject {
  return kept(
    value,
    Object.keys(value).filter((name) => name.startsWith('x-')),
  );
}

function moved(pointer: string): string {
  const [from, to] = MOVED.find(([start]) => pointer.startsWith(start)) ?? ['', ''];
  return to + pointer.slice(from.length);
}

function reference(value: JsonObject): JsonObject | undefined {
  return typeof value['$ref'] === 'string' ? { $ref: moved(value['$ref']) } : undefined;
}

/** A schema of 3.0. A reference has no other members there, so a reference with other members is wrapped. */
function schemaOf(value: JsonObject): JsonObject {
  const converted = { ...value };
  for (const name of SCHEMA_MAPS) if (isObject(value[name])) converted[name] = mapped(value[name], schemaOf);
  for (const name of SCHEMAS) {
    const member = value[name];
    if (Array.isArray(member)) converted[name] = member.map((one) => (isObject(one) ? schemaOf(one) : one));
    else if (isObject(member)) converted[name] = schemaOf(member);
  }
  const pointer = reference(value);
  if (pointer === undefined) return converted;
  if (Object.keys(value).length === 1) return pointer;
  const { $ref: _, ...beside } = converted;
  return { ...beside, allOf: [pointer] };
}

function parameterOf(value: JsonObject): JsonObject {
  const schema = isObject(value['schema']) ? schemaOf(value['schema']) : kept(value, SAME.simple);
  return reference(value) ?? { ...kept(value, SAME.parameter), schema, ...extensions(value) };
}

function schemeOf(value: JsonObject): JsonObject {
  const scheme = { ...kept(value, SAME.scheme), ...extensions(value) };
  const { flow, authorizationUrl = '', tokenUrl = '' } = value;
  if (typeof flow !== 'string' || flow === '') return scheme;
  const urls = { authorizationUrl, ...(tokenUrl !== '' && { tokenUrl }) };
  return { ...scheme, flows: { [flow]: { ...urls, ...kept(value, ['scopes']) } } };
}

/**
 * An OpenAPI 2.0 document in the form of 3.0, as the field converts it for servers that publish only 2.0. The
 * conversion loses everything of a parameter except its type, and the security requirements.
 * @throws Error if schemas would be repeated too often
 */
export class ConvertedDocument {
  readonly skeleton: DocumentSkeleton;
  readonly maps: Maps;
  #copied = 0;

  constructor(document: JsonObject) {
    const produces = texts(listIn(document, 'produces'));
    const responses = mapped(objectIn(document, 'responses'), (one) => this.#response(one, produces));
    const securitySchemes = mapped(objectIn(document, 'securityDefinitions'), schemeOf);
    const section = (name: string, members: JsonObject): JsonObject =>
      Object.keys(members).length > 0 ? { [name]: members } : {};
    this.skeleton = {
      head: {
        openapi: '3.0.0',
        info: objectIn(document, 'info'),
        ...section('externalDocs', kept(objectIn(document, 'externalDocs'), ['description', 'url'])),
      },
      tail: { ...section('securitySchemes', securitySchemes), ...section('responses', responses) },
    };
    this.maps = {
      paths: entries(mapped(objectIn(document, 'paths'), (item) => this.#pathItem(item))),
      definitions: entries(mapped(objectIn(document, 'definitions'), schemaOf)),
    };
  }

  #pathItem(item: JsonObject): JsonObject {
    const operations = mapped(kept(item, METHODS), (one) => this.#operation(one));
    const parameters = listIn(item, 'parameters').filter(isObject).map(parameterOf);
    return { ...operations, ...(parameters.length > 0 && { parameters }), ...extensions(item) };
  }

  #operation(value: JsonObject): JsonObject {
    const parameters = listIn(value, 'parameters').filter(isObject);
    const body = parameters.find((one) => one['name'] === 'body' && isObject(one['schema']));
    const others = parameters.filter((one) => one !== body).map(parameterOf);
    const produces = texts(listIn(value, 'produces'));
    const content = body && this.#content(objectIn(body, 'schema'), texts(listIn(value, 'consumes')));
    return {
      ...kept(value, SAME.operation),
      ...(others.length > 0 && { parameters: others }),
      ...(content && { requestBody: { content } }),
      responses: mapped(objectIn(value, 'responses'), (one) => this.#response(one, produces)),
      ...kept(value, ['deprecated']),
      ...extensions(value),
    };
  }

  #response(value: JsonObject, produces: readonly string[]): JsonObject {
    const pointer = reference(value);
    if (pointer !== undefined) return pointer;
    const { description = '', schema } = value;
    const content = isObject(schema) && produces.length > 0 && { content: this.#content(schema, produces) };
    return { description, ...content, ...extensions(value) };
  }

  #content(value: JsonObject, mediaTypes: readonly string[]): JsonObject {
    const schema = schemaOf(value);
    this.#copied += JSON.stringify(schema).length * Math.max(0, mediaTypes.length - 1);
    if (this.#copied > MAX_COPIED) throw new Error('the operations share too much');
    return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
  }
}

function entries(object: JsonObject): Entry[] {
  return Object.entries(object)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, () => value as JsonObject]);
}
