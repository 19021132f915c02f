import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { Schema } from '#client/open-api/schemas.ts';
import type { FieldSchemas } from './field-schema.ts';
import { placeOfCursor } from './yaml-path.ts';

/** Offers fields and values of the schema. `schemas` returns the schemas that have loaded, if any. */
export function yamlCompletion(schemas: () => FieldSchemas | undefined): Extension {
  return autocompletion({
    override: [
      (context) => {
        const known = schemas();
        return known === undefined ? null : complete(context, known);
      },
    ],
  });
}

function complete(context: CompletionContext, schemas: FieldSchemas): CompletionResult | null {
  const { state, pos, explicit } = context;
  const place = placeOfCursor(syntaxTree(state), state.doc.toString(), pos);
  const word = context.matchBefore(/[\w./-]*/);
  const from = word?.from ?? pos;
  if (from === pos && !explicit) return null;
  const line = state.doc.lineAt(pos);
  const hasColon = /^[\w./-]*\s*:/.test(line.text.slice(pos - line.from));
  const options = place.at === 'value' ? values(schemas, place.path) : fields(schemas, place, hasColon);
  return options.length === 0 ? null : { from, options, validFor: /^[\w./-]*$/ };
}

function fields(
  schemas: FieldSchemas,
  { path, at }: ReturnType<typeof placeOfCursor>,
  hasColon: boolean,
): readonly Completion[] {
  const parent = schemas.at(at === 'key' ? path.slice(0, -1) : path);
  if (parent === undefined) return [];
  const whole = schemas.whole(parent);
  const isNewItem = whole.type === 'array';
  const of = isNewItem ? (whole.items ?? {}) : parent;
  const required = schemas.whole(of).required ?? [];
  return [...schemas.fieldsOf(of)].map(([name, schema]) => ({
    label: name,
    type: 'property',
    detail: `${schemas.typeName(schema)}${required.includes(name) ? ', required' : ''}`,
    ...(schemas.whole(schema).description ? { info: schemas.whole(schema).description! } : {}),
    boost: required.includes(name) ? 1 : 0,
    apply: `${name}${hasColon ? '' : behind(schemas.whole(schema))}`,
  }));
}

/** Objects and lists continue in the next line. */
function behind({ type, properties }: Schema): string {
  return type === 'array' || properties !== undefined ? ':' : ': ';
}

function values(schemas: FieldSchemas, path: Parameters<FieldSchemas['at']>[0]): readonly Completion[] {
  const field = schemas.at(path);
  if (field === undefined) return [];
  const { type, enum: all = [] } = schemas.whole(field);
  const offered = type === 'boolean' ? ['true', 'false'] : all.map(String).filter(Boolean);
  return offered.map((label) => ({ label, type: 'constant' }));
}
