import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const LARGEST = 16 << 20;

/** The supported fields of such files, and their types. */
const FIELDS: ReadonlyMap<string, 'list' | 'map' | 'text'> = new Map([
  ...['apiVersion', 'kind', 'namePrefix', 'nameSuffix', 'namespace'].map((name) => [name, 'text'] as const),
  ...['metadata', 'commonLabels', 'commonAnnotations', 'generatorOptions'].map((name) => [name, 'map'] as const),
  ...['resources', 'bases', 'components', 'labels', 'images', 'replicas', 'patches', 'replacements', 'vars'].map(
    (name) => [name, 'list'] as const,
  ),
  ...['buildMetadata', 'configurations', 'crds'].map((name) => [name, 'list'] as const),
  ['sortOptions', 'map'],
  ['openapi', 'map'],
  ...['patchesStrategicMerge', 'patchesJson6902', 'configMapGenerator', 'secretGenerator'].map(
    (name) => [name, 'list'] as const,
  ),
]);

/** The unsupported fields of such files, and the reasons. */
const NOT_BUILT: ReadonlyMap<string, string> = new Map([
  ...['helmCharts', 'helmGlobals', 'helmChartInflationGenerator'].map(
    (name) => [name, 'write the output of the chart program to a file, and list that file'] as const,
  ),
  ...['generators', 'transformers', 'validators'].map((name) => [name, 'the program runs no plug-ins'] as const),
]);

/** Old fields and the fields that replace them. */
const OUTDATED: readonly (readonly [field: string, now: string, note?: string])[] = [
  ['bases', 'resources'],
  ['commonLabels', 'labels'],
  ['patchesJson6902', 'patches'],
  ['patchesStrategicMerge', 'patches'],
  ['vars', 'replacements', '[EXPERIMENTAL] '],
];

/** Options for building a kustomization. */
export interface Building {
  /** Whether files outside of the folder may be read too. */
  readonly anywhere?: boolean;
  /** Called with a warning for each outdated field. */
  readonly warn?: (text: string) => void;
}

/** A folder with a file that defines how to build objects. */
export interface Kustomization {
  /** The path of the folder, without links. */
  readonly folder: string;
  /** The path of the folder, relative to the folder that is built. */
  readonly within: string;
  /** The name of the file in the folder. */
  readonly file: string;
  readonly fields: JsonObject;
  readonly building: Building;
}

/** The folder in which the program searches for a file. */
export type Place = Pick<Kustomization, 'folder' | 'building'>;

/** A folder that is built. */
export type Where = Pick<Kustomization, 'folder' | 'within' | 'building'>;

/** @throws CommandError if there is no such file or it is malformed */
export function readKustomization({ folder, within, building }: Where): Kustomization {
  if (/^[a-z]+:\/\/|^git@|^github\.com\//.test(folder))
    throw new CommandError(`${folder} is not a local path, and only local files and folders can be read`);
  let real: string;
  try {
    real = realpathSync(folder);
  } catch {
    throw new CommandError(
      `must build at directory: not a valid directory: evalsymlink failure on '${folder}' : lstat ${path.resolve(folder)}: no such file or directory`,
    );
  }
  const found = NAMES.filter((name) => existsSync(path.join(real, name)));
  if (found.length === 0)
    throw new CommandError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${real}'`,
    );
  if (found.length > 1) throw new CommandError(`Found multiple kustomization files under: ${real}\n`);
  const documents = parseYamlDocuments(
    readLocal({ folder: real, building }, found[0]!).toString(),
    path.join(real, found[0]!),
  );
  const fields = (documents[0] ?? {}) as JsonValue;
  if (!isObject(fields)) throw new CommandError('invalid Kustomization: it is not an object');
  if (Object.keys(fields).length === 0) throw new CommandError('kustomization.yaml is empty');
  for (const [name, value] of Object.entries(fields)) {
    const form = FIELDS.get(name);
    const why = NOT_BUILT.get(name);
    if (why !== undefined) throw new CommandError(`invalid Kustomization: ${name} is not supported: ${why}`);
    if (form === undefined)
      throw new CommandError(`invalid Kustomization: json: unknown field ${JSON.stringify(name)}`);
    const actual = Array.isArray(value)
      ? 'list'
      : isObject(value)
        ? 'map'
        : typeof value === 'string'
          ? 'text'
          : 'plain';
    if (value !== null && actual !== form) throw new CommandError(`invalid Kustomization: ${name} is not a ${form}`);
  }
  checkType(fields);
  if (isObject(fields['openapi']) && fields['openapi']['path'] !== undefined)
    throw new CommandError(
      'invalid Kustomization: openapi.path is not supported: the program knows only how built-in kinds merge',
    );
  for (const [field, now, note = ''] of OUTDATED)
    if ((fields[field] ?? null) !== null)
      building.warn?.(
        `# Warning: '${field}' is deprecated. Please use '${now}' instead. ${note}Run 'kustomize edit fix' to update your Kustomization automatically.`,
      );
  return { folder: real, within, file: found[0]!, fields, building };
}

/** @throws CommandError if the file has another kind or version */
function checkType({ kind, apiVersion }: JsonObject): void {
  if (kind !== undefined && kind !== 'Kustomization' && kind !== 'Component')
    throw new CommandError('invalid Kustomization: kind should be Kustomization or Component');
  const version = kind === 'Component' ? 'v1alpha1' : 'v1beta1';
  if (apiVersion !== undefined && String(apiVersion).split('/')[1] !== version)
    throw new CommandError(
      `invalid Kustomization: apiVersion of a ${String(kind ?? 'Kustomization')} should be of version ${version}`,
    );
}

/** Thrown if a file does not exist. */
export class MissingFileError extends CommandError {}

/**
 * The content of a file in a folder. Files outside of the folder are not read.
 * @throws CommandError if the file is not readable
 */
export function readLocal(place: Place, file: string): Buffer {
  return readFileSync(localPath(place, file));
}

/** @throws CommandError if the file does not exist, is too large, or is outside of the folder */
export function localPath({ folder, building }: Place, file: string): string {
  const full = path.resolve(folder, file);
  let real: string;
  try {
    real = realpathSync(full);
  } catch {
    throw new MissingFileError(`evalsymlink failure on '${full}' : lstat ${full}: no such file or directory`);
  }
  if (building.anywhere !== true && real !== folder && !real.startsWith(`${folder}${path.sep}`))
    throw new CommandError(`security; file '${real}' is not in or below '${folder}'`);
  if (statSync(real).isDirectory()) throw new CommandError(`'${full}' must resolve to a file`);
  if (statSync(real).size > LARGEST) throw new CommandError(`${real} is too large`);
  return real;
}

/** The objects in a list of a file. @throws CommandError if the field is not such a list */
export function entries({ fields }: Kustomization, name: string): JsonObject[] {
  return listOf(fields, name).map((entry) => {
    if (!isObject(entry)) throw new CommandError(`invalid Kustomization: an entry of ${name} is not an object`);
    return entry;
  });
}

/** The texts in a list. @throws CommandError if the field is not such a list */
export function texts(fields: JsonObject, name: string): string[] {
  return listOf(fields, name).map((entry) => {
    if (typeof entry !== 'string') throw new CommandError(`invalid Kustomization: an entry of ${name} is not a text`);
    return entry;
  });
}

/**
 * A map of texts. Numbers and booleans are mistakes.
 * @throws CommandError if a value is not a text
 */
export function textMap(fields: JsonObject, name: string): JsonObject {
  const map = fields[name] ?? {};
  if (!isObject(map)) throw new CommandError(`invalid Kustomization: ${name} is not a map`);
  for (const [key, value] of Object.entries(map))
    if (typeof value !== 'string') throw new CommandError(`invalid Kustomization: ${name}.${key} is not a text`);
  return map;
}

/**
 * The items of a field that is a list. The list is empty if the field is absent.
 * @throws CommandError if the field is not a list
 */
export function listOf(fields: JsonObject, name: string): JsonValue[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list)) throw new CommandError(`invalid Kustomization: ${name} is not a list`);
  return list;
}
