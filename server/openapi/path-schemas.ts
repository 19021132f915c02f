import { STATUS_CODES } from 'node:http';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import {
  type Content,
  type Form,
  hasParameter,
  type Operation,
  type Parameter,
  type PathItem,
  reference,
  sharedParameters,
  sortParameters,
} from './model.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/** A path with its operations in the form of documents. Common parameters are next to the operations. */
export function pathSchema(item: PathItem, form: Form, naming: Pick<Naming, 'extensionPrefix'>): JsonObject {
  const shared = sharedParameters(item);
  const result: JsonObject = {};
  for (const method of METHODS) {
    const operation = item[method];
    if (operation === undefined) continue;
    const own = operation.parameters.filter((parameter) => !hasParameter(shared, parameter));
    result[method] = form === 'v2' ? operationV2(operation, own, naming) : operationV3(operation, own, naming);
  }
  if (shared.length > 0) result['parameters'] = shared.map(form === 'v2' ? parameterV2 : parameterV3);
  return result;
}

function parameterV2({ name, in: place, type }: Parameter): JsonObject {
  return { uniqueItems: true, type, name, in: place, ...(place === 'path' ? { required: true } : {}) };
}

function parameterV3({ name, in: place, type }: Parameter): JsonObject {
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}

function contentSchema(content: Exclude<Content, undefined>, form: Form): JsonObject {
  return content === 'text' ? { type: 'string' } : reference(content, form);
}

/** The answers, with the refusal of unauthenticated clients. */
function responses(operation: Operation, content: (content: Exclude<Content, undefined>) => JsonObject): JsonObject {
  const all = { ...operation.responses, 401: undefined };
  return Object.fromEntries(
    Object.entries(all).map(([code, answered]): [string, JsonValue] => [
      code,
      { description: STATUS_CODES[code] ?? '', ...(answered === undefined ? {} : content(answered)) },
    ]),
  );
}

function extensions({ action, kind }: Operation, { extensionPrefix }: Pick<Naming, 'extensionPrefix'>): JsonObject {
  return {
    ...(action === undefined ? {} : { [`${extensionPrefix}action`]: action }),
    ...(kind === undefined ? {} : { [`${extensionPrefix}group-version-kind`]: { ...kind } }),
  };
}

function operationV2(operation: Operation, own: Parameter[], naming: Pick<Naming, 'extensionPrefix'>): JsonObject {
  const { body, consumes, produces } = operation;
  const parameters: JsonObject[] = sortParameters(own).map(parameterV2);
  if (body !== undefined) {
    const schema = reference(body.definition, 'v2');
    const parameter = { name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema };
    const after = parameters.findIndex(({ name }) => (name as string) > 'body');
    parameters.splice(after < 0 ? parameters.length : after, 0, parameter);
  }
  return {
    ...(consumes === undefined ? {} : { consumes: [...consumes] }),
    ...(produces === undefined ? {} : { produces: [...produces] }),
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responses(operation, (content) => ({ schema: contentSchema(content, 'v2') })),
    ...extensions(operation, naming),
  };
}

function operationV3(operation: Operation, own: Parameter[], naming: Pick<Naming, 'extensionPrefix'>): JsonObject {
  const { body, consumes = [], produces = [] } = operation;
  const inTypes = (types: readonly string[], schema: JsonObject): JsonObject => ({
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  });
  return {
    tags: [operation.tag],
    operationId: operation.id,
    ...(own.length === 0 ? {} : { parameters: sortParameters(own).map(parameterV3) }),
    ...(body === undefined ? {} : { requestBody: inTypes(consumes, reference(body.definition, 'v3')) }),
    responses: responses(operation, (content) => inTypes(produces, contentSchema(content, 'v3'))),
    ...extensions(operation, naming),
  };
}
