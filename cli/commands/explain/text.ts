import { referenceOf, type Schema, type Schemas } from '#client/open-api/schemas.ts';

/** The type or field to explain, and the form of the text. */
export interface Explanation {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly recursive: boolean;
  /** The number of levels of fields that `recursive` shows. 0 means all. */
  readonly maxDepth: number;
}

/** The text about a type or one of its fields, and an error if the field does not exist. */
export function explainText(
  schemas: Schemas,
  root: Schema,
  path: readonly string[],
  what: Explanation,
): { text: string; error?: string } {
  const lines: string[] = [];
  if (what.group !== '') lines.push(`GROUP:      ${what.group}`);
  lines.push(`KIND:       ${what.kind}`, `VERSION:    ${what.version}`, '');
  const head = `${lines.join('\n')}\n`;
  let field = root;
  for (const name of path) {
    const { properties } = schemas.inner(field);
    if (properties === undefined || !Object.hasOwn(properties, name))
      return { text: head, error: `field "${path.at(-1)}" does not exist` };
    field = properties[name]!;
  }
  return { text: head + bodyOf(schemas, field, path.at(-1), what) };
}

function bodyOf(schemas: Schemas, field: Schema, name: string | undefined, depth: Depth): string {
  const whole = schemas.resolve(field);
  const lines: string[] = [];
  if (name !== undefined) {
    lines.push(`FIELD: ${name} <${schemas.typeName(field)}>`);
    if (whole.enum !== undefined)
      lines.push('ENUM:', ...whole.enum.filter((value) => value !== '').map((value) => `    ${String(value)}`));
    lines.push('');
    if (whole.enum === undefined) lines.push('');
  }
  lines.push('DESCRIPTION:', ...description(descriptionsOf(schemas, field).join('\n'), '<empty>', '    '));
  // The description of the items' type follows, if it is another type.
  const own = targetOf(field, schemas);
  const fields = linesOfFields(schemas, field, depth, fieldLines, new Set(own === undefined ? [] : [own]));
  if (fields.length > 0) lines.push('FIELDS:', ...fields);
  return `${lines.join('\n')}\n\n`;
}

/** The descriptions of a value, of its type, and of its items, in this order. */
function descriptionsOf(schemas: Schemas, schema: Schema): string[] {
  const { description, allOf, items, additionalProperties } = schemas.target(schema);
  const inner = [...(allOf ?? []), items, additionalProperties].filter((one) => typeof one === 'object');
  return [...(description ? [description] : []), ...inner.flatMap((one) => descriptionsOf(schemas, one))];
}

/** A field, its place in the schema, and how it is shown. */
export interface Place {
  readonly name: string;
  readonly field: Schema;
  readonly parent: Schema;
  readonly level: number;
  readonly recursive: boolean;
}

/** The depth to which fields of fields are shown. */
type Depth = Pick<Explanation, 'recursive' | 'maxDepth'>;

/** The lines of one field. The lines of its own fields follow. */
export type FieldLines = (schemas: Schemas, place: Place) => string[];

/**
 * The lines of all fields of a value. A type that is its own ancestor appears once.
 * @param above the types that count as ancestors at the start
 */
export function linesOfFields(
  schemas: Schemas,
  of: Schema,
  depth: Depth,
  linesOf: FieldLines,
  above: ReadonlySet<string> = new Set(),
): string[] {
  const parent = schemas.inner(of);
  return Object.entries(parent.properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, field]) =>
      linesBelow(schemas, { name, field, parent, level: 1, recursive: depth.recursive }, linesOf, above, depth),
    );
}

/**
 * The lines of a field. With `recursive`, the lines of all fields below it follow, except those of types that contain
 * themselves.
 */
function linesBelow(
  schemas: Schemas,
  place: Place,
  linesOf: FieldLines,
  above: ReadonlySet<string>,
  depth: Depth,
): string[] {
  const { field, level, recursive } = place;
  const lines = linesOf(schemas, place);
  if (!recursive || level === depth.maxDepth) return lines;
  const reference = targetOf(field, schemas);
  if (reference !== undefined && above.has(reference)) return lines;
  const parent = schemas.inner(field);
  const below = reference === undefined ? above : new Set([...above, reference]);
  for (const [name, each] of Object.entries(parent.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))
    lines.push(
      ...linesBelow(schemas, { name, field: each, parent, level: level + 1, recursive }, linesOf, below, depth),
    );
  return lines;
}

const fieldLines: FieldLines = (schemas, { name, field, parent, level, recursive }) => {
  const whole = schemas.resolve(field);
  const lead = '  '.repeat(level);
  const required = parent.required?.includes(name) ? ' -required-' : '';
  const lines = [`${lead}${name}\t<${schemas.typeName(field)}>${required}`];
  const values = (whole.enum ?? []).filter((value) => value !== '');
  if (values.length > 0) lines.push(`${lead}enum: ${shortened(values)}`);
  if (recursive) return lines;
  lines.push(...description(field.description, '<no description>', '    '));
  if (!field.description) lines.push('');
  return lines;
};

/** The first four values. A mark follows if there are more. */
function shortened(values: readonly unknown[]): string {
  return values.length <= 4 ? values.join(', ') : `${values.slice(0, 4).join(', ')}, ....`;
}

/** The name of the type that a field, or the items of a field, refer to. */
function targetOf(field: Schema, schemas: Schemas): string | undefined {
  const own = referenceOf(field);
  if (own !== undefined) return own;
  const { items, additionalProperties } = schemas.resolve(field);
  const inner = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return inner === undefined ? undefined : targetOf(inner, schemas);
}

/** A description in lines of at most 80 characters, with an empty line after it. */
function description(text: string | undefined, none: string, lead: string): string[] {
  if (!text) return [`${lead}${none}`];
  return [...wrapped(text, 80 - lead.length).map((line) => lead + line), lead];
}

/** The lines of a text, broken between words. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [''];
    for (const word of paragraph.split(/\s+/)) {
      const line = lines.at(-1)!;
      if (line === '') lines[lines.length - 1] = word;
      else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}
