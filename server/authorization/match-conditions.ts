import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Release } from '#base/release/release.ts';
import type { Attributes } from '../api/attributes.ts';
import { type CelField, type CelType, listOf, mapOf, STRING } from '../expressions/cel-type.ts';
import { EvaluationError } from '../expressions/cel-value.ts';
import { valueOfJson } from '../expressions/json-values.ts';
import { compileSingle, inputVariables, type SingleExpression } from '../expressions/single-expression.ts';
import { readFields, readLabels } from './selector-attributes.ts';

function objectOf(fields: Readonly<Record<string, CelType>>): CelType {
  const entries = Object.entries(fields).map(([name, type]): [string, CelField] => [name, { name, type, size: 0 }]);
  return { kind: 'object', fields: new Map(entries), least: 2 };
}

const SELECTOR = objectOf({
  rawSelector: STRING,
  requirements: listOf(objectOf({ key: STRING, operator: STRING, values: listOf(STRING) })),
});

/** The variables of conditions. They are the question that a webhook would get. */
const REQUEST = objectOf({
  user: STRING,
  groups: listOf(STRING),
  uid: STRING,
  extra: mapOf(STRING, listOf(STRING)),
  resourceAttributes: objectOf({
    namespace: STRING,
    verb: STRING,
    group: STRING,
    version: STRING,
    resource: STRING,
    subresource: STRING,
    name: STRING,
    fieldSelector: SELECTOR,
    labelSelector: SELECTOR,
  }),
  nonResourceAttributes: objectOf({ path: STRING, verb: STRING }),
});

const VARIABLES = inputVariables({ request: REQUEST });

/** The requests for which a webhook is called. */
export type MatchConditions = readonly SingleExpression[];

/** A condition, or the error of its text. */
export function compileMatchCondition(text: string, release: Release): SingleExpression | string {
  return compileSingle(text, VARIABLES, ['bool'], release);
}

/**
 * Whether all conditions are true. A false condition decides, even if another one fails.
 *
 * @returns a text with the reason if no condition is false and one fails
 */
export function matches(conditions: MatchConditions, attributes: Attributes): boolean | string {
  if (conditions.length === 0) return true;
  const request = valueOfJson(requestOf(attributes));
  let failure: string | undefined;
  for (const condition of conditions) {
    try {
      if (condition.run((name) => (name === 'request' ? request : null)) !== true) return false;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failure ??= `cel evaluation error: expression '${condition.text}' resulted in error: ${error.message}`;
    }
  }
  return failure ?? true;
}

function requestOf(attributes: Attributes): JsonObject {
  const { user, verb, isResource, path, namespace, group, version, resource, subresource, name } = attributes;
  const extra = Object.entries(user.extra).map(([key, values]): [string, JsonValue] => [key, [...values]]);
  const own = { user: user.name, groups: [...user.groups], uid: user.uid, extra: Object.fromEntries(extra) };
  if (!isResource) return { ...own, nonResourceAttributes: { path, verb } };
  const resourceAttributes: JsonObject = { namespace, verb, group, version, resource, subresource, name };
  const selectors = {
    fieldSelector: readFields(attributes.fieldSelector),
    labelSelector: readLabels(attributes.labelSelector),
  };
  for (const [field, { requirements }] of Object.entries(selectors))
    if (requirements.length > 0)
      resourceAttributes[field] = { requirements: requirements.map((one) => ({ ...one })) as unknown as JsonValue };
  return { ...own, resourceAttributes };
}
