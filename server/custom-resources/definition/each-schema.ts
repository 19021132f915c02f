import { append } from '#base/collections/append.ts';
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';

/** All schemas in the versions of a definition: those of values, of their members and items, and alternatives. */
export function* eachSchema(spec: Pick<CustomResourceDefinitionSpec, 'versions'>): Generator<JSONSchemaProps> {
  for (const { schema } of spec.versions ?? []) {
    const pending: (JSONSchemaProps | undefined)[] = [schema?.openAPIV3Schema];
    while (pending.length > 0) {
      const next = pending.pop();
      if (next === undefined) continue;
      yield next;
      const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], not } = next;
      append(pending, Object.values(properties).reverse(), allOf, anyOf, oneOf, [not]);
      if (items !== undefined && !Array.isArray(items)) pending.push(items);
      if (typeof additionalProperties === 'object') pending.push(additionalProperties);
    }
  }
}
