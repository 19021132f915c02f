import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import { defaultSpecs } from './default-specs.ts';
import { CHANGES, type FieldSpec, type FieldSpecs, mergeSpecs, type NameReference, noSpecs } from './field-specs.ts';
import { type Kustomization, readLocal, texts } from './kustomization.ts';
import { text } from './resource.ts';

/** The fields that name the type of an entry, or of a reference in the entry. */
const TYPE = ['group', 'version', 'kind'];

/**
 * The fields in which changes are made. They are the default fields, and the fields in the files of `configurations`.
 * @throws CommandError if a file is malformed
 */
export function configuredSpecs(kustomization: Kustomization): FieldSpecs {
  const files = texts(kustomization.fields, 'configurations');
  let own = noSpecs;
  for (const file of files) own = mergeSpecs(own, parseSpecs(readLocal(kustomization, file).toString(), file));
  return files.length === 0 ? defaultSpecs : mergeSpecs(defaultSpecs, own);
}

function parseSpecs(body: string, file: string): FieldSpecs {
  const [document = null] = parseYamlDocuments(body, file) as readonly JsonValue[];
  if (document === null) return noSpecs;
  const fields = checked(document, 'TransformerConfig', [...CHANGES, 'nameReference']);
  const lists = CHANGES.map((change) => [change, listIn(fields, change).map((one) => fieldOf(one, change))]);
  return {
    ...noSpecs,
    ...Object.fromEntries(lists),
    nameReference: listIn(fields, 'nameReference').map(referenceOf),
  };
}

/**
 * The field that an entry of a list of fields describes.
 * @throws CommandError if the value is malformed
 */
export function fieldOf(value: JsonValue, what: string): FieldSpec {
  const fields = checked(value, `${what} of type types.FieldSpec`, [...TYPE, 'path', 'create']);
  return { ...typeIn(fields), path: text(fields['path']), create: fields['create'] === true };
}

function referenceOf(value: JsonValue): NameReference {
  const what = 'nameReference';
  const fields = checked(value, `${what} of type builtinconfig.NameBackReferences`, [...TYPE, 'fieldSpecs']);
  return { ...typeIn(fields), fields: listIn(fields, 'fieldSpecs').map((field) => fieldOf(field, what)) };
}

function typeIn(fields: JsonObject): Pick<FieldSpec, 'group' | 'version' | 'kind'> {
  return { group: text(fields['group']), version: text(fields['version']), kind: text(fields['kind']) };
}

function listIn(fields: JsonObject, name: string): readonly JsonValue[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list)) throw mistake(`${name} is not a list`);
  return list;
}

function checked(value: JsonValue, what: string, known: readonly string[]): JsonObject {
  if (!isObject(value)) throw mistake(`${what} is not an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw mistake(`unknown field ${JSON.stringify(unknown)}`);
  return value;
}

function mistake(told: string): CommandError {
  return new CommandError(`error unmarshaling JSON: while decoding JSON: json: ${told}`);
}
