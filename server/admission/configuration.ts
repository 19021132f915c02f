import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { table } from '#base/collections/own-properties.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';

type Fields = Record<string, unknown>;

/** What the admission configuration file says about one plug-in. */
export interface PluginConfiguration {
  readonly value: unknown;
  /** The file it stands in, for messages. */
  readonly file: string;
  /** Paths in the configuration are relative to this folder. */
  readonly directory: string;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readDocument(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is neither YAML nor JSON: ${(error as Error).message}`);
  }
}

/** Fields that are the settings of a plug-in by themselves, without kind and version. */
const UNVERSIONED: Readonly<Record<string, string>> = table({
  imagePolicy: 'ImagePolicyWebhook',
  podNodeSelectorPluginConfig: 'PodNodeSelector',
});

/** The plug-ins whose own settings stand in the file, as they once did. */
function unversioned(document: Fields): string[] {
  if (document['kind'] !== undefined || document['apiVersion'] !== undefined) return [];
  return Object.keys(UNVERSIONED).flatMap((field) => (document[field] === undefined ? [] : UNVERSIONED[field]!));
}

/**
 * Reads an AdmissionConfiguration: per plug-in an inline `configuration` or the `path` of a file with it, relative to
 * the file itself. The file may also be the settings themselves of plug-ins that have no kind for them.
 * @throws ConfigError that names the file and what is wrong in it
 */
export function readAdmissionConfiguration(
  file: string,
  naming: Naming,
  known: ReadonlySet<string>,
): ReadonlyMap<string, PluginConfiguration> {
  const document = readDocument(file);
  const fail = (what: string): never => {
    throw new ConfigError(`${file}: ${what}`);
  };
  if (!isFields(document)) return fail('it is not an object');
  const directory = path.dirname(path.resolve(file));
  const own = unversioned(document);
  if (own.length > 0) return new Map(own.map((name) => [name, { value: document, file, directory }]));
  const versions = ['v1', 'v1alpha1'].map((version) => naming.apiVersion('apiserver.config', version));
  if (document['kind'] !== 'AdmissionConfiguration' || !versions.includes(String(document['apiVersion']))) {
    fail(`it must be of kind AdmissionConfiguration in ${versions[0]}`);
  }
  const found = new Map<string, PluginConfiguration>();
  const named = new Set<string>();
  const plugins = document['plugins'] ?? [];
  if (!Array.isArray(plugins)) return fail('plugins is not a list');
  for (const entry of plugins as unknown[]) {
    const name = isFields(entry) ? entry['name'] : undefined;
    if (!isFields(entry) || typeof name !== 'string' || name === '') return fail('an entry of plugins has no name');
    if (!known.has(name)) fail(`plugins names ${JSON.stringify(name)}, which is not known`);
    if (named.has(name)) fail(`plugins names ${name} twice`);
    named.add(name);
    const reference = entry['path'];
    if (entry['configuration'] !== undefined && entry['configuration'] !== null) {
      found.set(name, { value: entry['configuration'], file, directory });
    } else if (typeof reference === 'string' && reference !== '') {
      const other = path.resolve(directory, reference);
      found.set(name, { value: readDocument(other), file: other, directory: path.dirname(other) });
    }
  }
  return found;
}

/**
 * The fields of a plug-in's configuration, which is of one of some kinds and versions; undefined without one.
 * @throws ConfigError for another kind
 */
export function configurationOf(
  configuration: PluginConfiguration | undefined,
  expected: readonly (readonly [kind: string, apiVersion: string])[],
): Fields | undefined {
  if (configuration === undefined) return undefined;
  const { value, file } = configuration;
  const fits = expected.some(
    ([kind, apiVersion]) => isFields(value) && value['kind'] === kind && value['apiVersion'] === apiVersion,
  );
  if (isFields(value) && fits) return value;
  const kinds = expected.map(([kind, apiVersion]) => `${kind} in ${apiVersion}`);
  throw new ConfigError(`${file}: this plug-in takes a ${kinds.join(', or a ')}`);
}
