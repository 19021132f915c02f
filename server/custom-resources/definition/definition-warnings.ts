import type { CustomResourceDefinition, JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { checkedFormat } from '../../expressions/texts/formats.ts';
import { namePrefixOf } from '../schema/name-formats.ts';
import { eachSchema } from './each-schema.ts';
import type { DefinitionContext } from './validate-definition.ts';

/** Warnings about new parts of a definition that have no effect. */
export function definitionWarnings(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: DefinitionContext,
): string[] {
  const before = new Set(old === undefined ? [] : allWarnings(old, context));
  return allWarnings(definition, context).filter((warning) => !before.has(warning));
}

const NUMBER_FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['integer', ['int32', 'int64']],
  ['number', ['float', 'double']],
]);

function allWarnings({ spec }: CustomResourceDefinition, { naming, release }: DefinitionContext): string[] {
  const formats: string[] = [];
  const sets = new Set<string>();
  const namePrefix = namePrefixOf(naming, release);
  const listType = `${naming.extensionPrefix}list-type`;
  for (const schema of eachSchema(spec)) {
    const { format = '', type = '', items } = schema;
    if (format !== '' && release.atLeast(34) && !isKnown(type, format, namePrefix)) {
      formats.push(`unrecognized format ${JSON.stringify(format)}`);
    }
    const itemType = items === undefined || Array.isArray(items) ? '' : (items as JSONSchemaProps).type;
    if (release.atLeast(37) && schema[listType] === 'set' && (itemType === 'object' || itemType === 'array')) {
      const detail = 'is not supported by server-side apply or CEL validation rules';
      sets.add(`${listType}: set for items of type ${JSON.stringify(itemType)} ${detail}`);
    }
  }
  return [...new Set(formats), ...[...sets].sort()];
}

function isKnown(type: string, format: string, namePrefix: string | undefined): boolean {
  if (type === '' || type === 'string') return checkedFormat(format, namePrefix) !== '';
  return NUMBER_FORMATS.get(type)?.includes(format) === true;
}
