import type { Schema, Schemas } from '#client/open-api/schemas.ts';
import { type Explanation, type FieldLines, linesOfFields, wrapped } from './text.ts';

/**
 * The text about a type or one of its fields in the form of older clients. Throws if the field does not exist.
 */
export function oldText(
  schemas: Schemas,
  root: Schema,
  path: readonly string[],
  { group, version, kind, recursive, maxDepth }: Explanation,
): { text: string; error?: string } {
  let field = root;
  for (const name of path) {
    const inner = schemas.inner(field);
    // A plain value has no fields, so all further names mean the value itself.
    if (inner.properties === undefined) {
      field = inner;
      break;
    }
    if (!Object.hasOwn(inner.properties, name)) return { text: '', error: `field "${name}" does not exist` };
    field = inner.properties[name]!;
  }
  const shown = group === '' ? version : `${group}/${version}`;
  const lines = [`KIND:     ${kind}`, `VERSION:  ${shown}`, ''];
  const fields = linesOfFields(schemas, field, { recursive, maxDepth }, fieldLines);
  const name = path.at(-1);
  const { properties, type } = schemas.inner(field);
  if (name !== undefined && (properties !== undefined || (type !== undefined && type !== 'object')))
    lines.push(`${(fields.length > 0 ? 'RESOURCE:' : 'FIELD:').padEnd(10)}${name} <${typeName(schemas, field)}>`, '');
  lines.push('DESCRIPTION:', ...description(descriptionsOf(schemas, field)));
  if (fields.length > 0) lines.push('', 'FIELDS:', ...fields);
  return { text: `${lines.join('\n')}\n` };
}

const fieldLines: FieldLines = (schemas, { name, field, parent, level, recursive }) => {
  const required = parent.required?.includes(name) && !recursive ? ' -required-' : '';
  const lines = [`${'   '.repeat(level)}${name}\t<${typeName(schemas, field)}>${required}`];
  if (recursive) return lines;
  const { description: text } = field;
  return [...lines, ...(text ? wrapped(text, 75).map((line) => `     ${line}`) : []), ''];
};

/** The descriptions of a value, of its type and of its items, outermost first. Empty descriptions are omitted. */
function descriptionsOf(schemas: Schemas, schema: Schema): string[] {
  const { $ref, description = '', type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return [description, ...descriptionsOf(schemas, schemas.target(schema))];
  if (type === 'array') return [description, ...descriptionsOf(schemas, items ?? {})];
  if (type !== 'object' || properties !== undefined) return [description];
  // The values of a map without a declared type have the description of the map.
  const values = typeof additionalProperties === 'object' ? additionalProperties : { description };
  return [description, ...descriptionsOf(schemas, values)];
}

function description(texts: readonly string[]): string[] {
  const lead = '     ';
  const lines = texts.flatMap((text, i) =>
    text === '' ? [] : [...(i === 0 ? [] : ['']), ...wrapped(text, 80 - lead.length).map((line) => lead + line)],
  );
  return lines.length > 0 ? lines : [`${lead}<empty>`];
}

/** The name of a type; '' if any value is allowed. */
function typeName(schemas: Schemas, field: Schema): string {
  const whole = schemas.resolve(field);
  if (whole.type === 'array') return `[]${typeName(schemas, whole.items ?? {})}`;
  const values = whole.additionalProperties;
  if (whole.properties === undefined && typeof values === 'object') return `map[string]${typeName(schemas, values)}`;
  if (whole.type === 'object' && whole.properties === undefined) return 'map[string]';
  return whole.properties === undefined ? (whole.type ?? '') : 'Object';
}
