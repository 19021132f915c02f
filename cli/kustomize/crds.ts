import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import { type Change, type FieldSpec, type FieldSpecs, mergeSpecs, noSpecs } from './field-specs.ts';
import { fileWords } from './file-words.ts';
import { type Kustomization, readLocal, texts } from './kustomization.ts';

const NAME = `${fileWords.extensionPrefix}object-ref`;
/** Marks of properties, each with the change that applies to a marked property. */
const MARKS: readonly (readonly [mark: string, change: Change])[] = [
  [`${fileWords.extensionPrefix}annotation`, 'commonAnnotations'],
  [`${fileWords.extensionPrefix}label-selector`, 'commonLabels'],
  [`${fileWords.extensionPrefix}identity`, 'namePrefix'],
];
/** The largest depth of a field. Real types are not deeper. */
const DEEPEST = 30;
const MOST = 10_000;

/**
 * The fields that are marked in the definitions of types. The definitions are in the files of `crds`.
 * @throws CommandError if a file is malformed
 */
export function crdSpecs(kustomization: Kustomization): FieldSpecs {
  const files = texts(kustomization.fields, 'crds');
  try {
    return files.map((file) => specsIn(kustomization, file)).reduce(mergeSpecs, noSpecs);
  } catch (error) {
    throw new CommandError(`loading CRDs [${files.join(' ')}]: ${(error as Error).message}`);
  }
}

function specsIn(kustomization: Kustomization, file: string): FieldSpecs {
  const body = readLocal(kustomization, file).toString();
  const failed = (told: string) => new CommandError(`unable to parse open API definition from '${file}': ${told}`);
  let document: JsonValue;
  try {
    document = (parseYamlDocuments(body, file)[0] ?? {}) as JsonValue;
  } catch (error) {
    throw failed((error as Error).message);
  }
  const types = new Map<string, JsonObject>();
  if (!isObject(document)) throw failed('it is not a map of definitions');
  for (const [name, type] of Object.entries(document)) {
    if (!isObject(type)) throw failed(`${name} is not a definition`);
    types.set(name, propertiesOf(type));
  }
  return [...types].reduce((specs, [name, properties]) => {
    const isType = ['kind', 'apiVersion', 'metadata'].every((field) => Object.hasOwn(properties, field));
    return isType ? mergeSpecs(specs, specsOf(name, types)) : specs;
  }, noSpecs);
}

function propertiesOf(type: JsonObject): JsonObject {
  const [, schema] = Object.entries(type).find(([name]) => name.toLowerCase() === 'schema') ?? [];
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : {};
}

function specsOf(name: string, types: ReadonlyMap<string, JsonObject>): FieldSpecs {
  const kind = name.slice(name.lastIndexOf('.') + 1);
  const found: Record<Change, FieldSpec[]> = {
    ...noSpecs,
    commonAnnotations: [],
    commonLabels: [],
    namePrefix: [],
  } as never;
  const nameReference: FieldSpecs['nameReference'][number][] = [];
  let left = MOST;
  const visit = (type: string, path: readonly string[]) => {
    if (path.length > DEEPEST) throw new CommandError(`${name} is described by itself`);
    for (const [property, value] of Object.entries(types.get(type) ?? {})) {
      if (!isObject(value)) continue;
      if (left-- === 0) throw new CommandError(`${name} has more than ${MOST} fields`);
      const here = [...path, property];
      const field = (...below: readonly string[]): FieldSpec => ({
        ...{ group: '', version: '', kind, create: false },
        path: [...here, ...below].join('/'),
      });
      for (const [mark, change] of MARKS) if (typeof value[mark] === 'string') found[change].push(field());
      const [version, target, key = 'name'] = ['api-version', 'kind', 'name-key'].map(
        (part) => value[`${NAME}-${part}`],
      );
      if (typeof version === 'string' && typeof target === 'string')
        nameReference.push({ group: '', version, kind: target, fields: [field(String(key))] });
      if (typeof value['$ref'] === 'string') visit(value['$ref'], here);
    }
  };
  visit(name, []);
  return mergeSpecs(noSpecs, { ...found, nameReference });
}
