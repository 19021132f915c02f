import type { JsonValue } from '#base/json/json-value.ts';
import type { Schema, Schemas } from '#client/open-api/schemas.ts';
import { toYaml } from '#schema/yaml/write.ts';
import { type FieldLines, linesOfFields, wrapped } from './text.ts';

/** The type or field to explain in detail, with an example of its kind. */
export interface Detailed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly recursive: boolean;
  /** The number of levels of fields that `recursive` shows. 0 means all. */
  readonly maxDepth: number;
  readonly example: JsonValue | undefined;
}

/**
 * The text about a type or one of its fields with all values, defaults and an example. Throws if the field does not
 * exist.
 */
export function detailsText(
  schemas: Schemas,
  root: Schema,
  path: readonly string[],
  { apiVersion, kind, recursive, maxDepth, example }: Detailed,
): { text: string; error?: string } {
  const lines = [`${kind} (${apiVersion})`];
  let field = root;
  let parent: Schema | undefined;
  for (const name of path) {
    parent = schemas.inner(field);
    if (parent.properties === undefined || !Object.hasOwn(parent.properties, name))
      return { text: '', error: `field "${name}" does not exist` };
    field = parent.properties[name]!;
  }
  const name = path.at(-1);
  if (name !== undefined) lines.push(`${path.join('.')} <${schemas.typeName(field)}>${marks(parent, name)}`);
  lines.push('', ...paragraphs(schemas.resolve(field).description, ''), ...facts(schemas, field, ''));
  const fields = linesOfFields(schemas, field, { recursive, maxDepth }, fieldLines);
  if (fields.length > 0) lines.push('', 'Fields:', '', ...fields);
  const shown = sample(example, path);
  if (shown !== undefined && shown !== null)
    lines.push('', 'Example:', '', ...indented(name === undefined ? shown : { [name]: shown }));
  return { text: `${lines.join('\n').trimEnd()}\n` };
}

const fieldLines: FieldLines = (schemas, { name, field, parent, level, recursive }) => {
  const lead = '  '.repeat(level);
  const head = `${lead}${name} <${schemas.typeName(field)}>${marks(parent, name)}`;
  if (recursive) return [head, ...facts(schemas, field, `${lead}  `)];
  const about = paragraphs(schemas.resolve(field).description, `${lead}  `);
  return [head, ...about, ...facts(schemas, field, `${lead}  `), ''];
};

function marks(parent: Schema | undefined, name: string): string {
  return parent?.required?.includes(name) ? ' required' : '';
}

/** All values of a field, and its default if the default is informative. */
function facts(schemas: Schemas, field: Schema, lead: string): string[] {
  const { enum: values = [], default: preset } = { ...schemas.resolve(field), default: field['default'] };
  const shown = values.filter((value) => value !== '').map(String);
  const isMeaningful = preset !== undefined && preset !== '' && preset !== 0 && typeof preset !== 'object';
  return [
    ...(shown.length > 0 ? [`${lead}Values: ${shown.join(', ')}`] : []),
    ...(isMeaningful ? [`${lead}Default: ${String(preset)}`] : []),
  ];
}

function paragraphs(text: string | undefined, lead: string): string[] {
  return text ? wrapped(text, 80 - lead.length).map((line) => lead + line) : [];
}

/** The part of an example for a field. For a list, it is the first item. */
function sample(example: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let at: unknown = example;
  for (const name of path) {
    const one = Array.isArray(at) ? at[0] : at;
    if (typeof one !== 'object' || one === null || !Object.hasOwn(one, name)) return undefined;
    at = (one as Record<string, unknown>)[name];
  }
  return at as JsonValue | undefined;
}

function indented(value: JsonValue | object): string[] {
  return toYaml(value)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}
