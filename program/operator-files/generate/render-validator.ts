import { Ajv, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import { _, not, or, stringify } from 'ajv/dist/compile/codegen/index.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { usePattern } from 'ajv/dist/vocabularies/code.js';
import type { Schema } from '../schema.ts';
import { withMessages } from './schema-of-message.ts';

/**
 * Refuses a field that the schema of an object does not know. The error has the known fields, to suggest the right one.
 */
const onlyKnown: CodeKeywordDefinition = {
  keyword: 'onlyKnown',
  type: 'object',
  schemaType: 'boolean',
  error: {
    message: '',
    params: ({ params, parentSchema }) =>
      _`{field: ${params['field']}, known: ${stringify(Object.keys(propertiesOf(parentSchema)))}}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, parentSchema } = context;
    const names = Object.keys(propertiesOf(parentSchema));
    gen.forIn('field', data, (field) => {
      gen.if(names.length === 0 ? true : not(or(...names.map((name) => _`${field} === ${name}`))), () => {
        context.setParams({ field });
        context.error();
      });
    });
  },
};

/** Checks that an object has exactly one field. */
const exactlyOne: CodeKeywordDefinition = {
  keyword: 'exactlyOne',
  type: 'object',
  schemaType: 'boolean',
  error: {
    message: '',
    params: ({ parentSchema }) => _`{known: ${stringify(Object.keys(propertiesOf(parentSchema)))}}`,
  },
  code(context: KeywordCxt) {
    context.fail(_`Object.keys(${context.data}).length !== 1`);
  },
};

/** Checks that a text matches a pattern. The error describes the valid form. */
const matches: CodeKeywordDefinition = {
  keyword: 'matches',
  type: 'string',
  schemaType: 'object',
  error: { message: '', params: ({ schema }) => _`{says: ${(schema as { says: string }).says}}` },
  code(context: KeywordCxt) {
    const { pattern } = context.schema as { pattern: string };
    context.fail(_`!${usePattern(context, pattern)}.test(${context.data})`);
  },
};

function propertiesOf(schema: Record<string, unknown> | undefined): Record<string, unknown> {
  return (schema?.['properties'] ?? {}) as Record<string, unknown>;
}

/**
 * Parts of ajv's code that are shortened, because they would make up half of the text: a member of each error, and the
 * code that collects an error.
 */
const SCHEMA_PATH = /schemaPath:"[^"]*",/g;
const REMEMBERED = /if\(vErrors === null\)\{vErrors = \[(\w+)\];\}else \{vErrors\.push\(\1\);\}/g;

/**
 * Makes standalone code from a schema: an ES module that exports the validator as `validate`.
 *
 * @throws Error if the schema is wrong, or if its code would need a package at run time
 */
export function renderValidator(schema: Schema<unknown>): string {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    strictTypes: false,
    code: { source: true, esm: true },
  });
  for (const keyword of [onlyKnown, exactlyOne, matches]) ajv.addKeyword(keyword);
  ajv.addSchema(withMessages(schema), 'file');
  const code = standaloneCode
    .default(ajv, { validate: 'file' })
    .replaceAll(SCHEMA_PATH, '')
    .replaceAll(REMEMBERED, '(vErrors ??= []).push($1);');
  if (/\brequire\(/.test(code)) throw new Error('the code of a validator needs a package at run time');
  return `// Made by npm run generate from program/operator-files/schemas.\n${code}\n`;
}
