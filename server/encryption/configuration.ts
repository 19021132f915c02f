import type { Naming } from '#base/naming/naming.ts';
import { parseDuration } from '#program/flags/duration.ts';
import { YamlPlace } from './yaml-place.ts';

/** How values are encrypted, in the order in which a configuration names it. */
export type ProviderConfig =
  | { readonly kind: 'identity' }
  | { readonly kind: KeyedKind; readonly keys: readonly NamedKey[] }
  | { readonly kind: 'kms'; readonly kms: KmsConfig };

/** The providers that have their keys in the file. */
export type KeyedKind = 'aesgcm' | 'aescbc' | 'secretbox';

export interface NamedKey {
  readonly name: string;
  readonly secret: Buffer;
}

/** A plug-in that keeps the keys that data keys are encrypted with. */
export interface KmsConfig {
  readonly apiVersion: 'v1' | 'v2';
  readonly name: string;
  /** Where its socket is. */
  readonly path: string;
  /** How many data keys are kept in memory; 0 or less for no limit. */
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

/** What resources one entry of a configuration is about: of a group in its short form, where undefined is any. */
export interface ResourceMatch {
  readonly group: string | undefined;
  readonly plural: string | undefined;
}

/** An entry of a configuration: the first provider encrypts, all of them decrypt. */
export interface EncryptionRule {
  readonly matches: readonly ResourceMatch[];
  readonly providers: readonly ProviderConfig[];
}

/** What a configuration may say here. */
export interface EncryptionContext {
  readonly naming: Naming;
  /** Whether plug-ins may speak v2, which is still an alpha. */
  readonly allowsKmsV2: boolean;
  /** Where the objects of a built-in resource are stored, by the short group; undefined where there is no such one. */
  storageOf(group: string, plural: string): { readonly group: string; readonly plural: string } | undefined;
}

const KEY_BYTES: Readonly<Record<KeyedKind, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};

const KINDS = ['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms'] as const;

/** Data keys that are kept in memory where the configuration does not say how many. */
const CACHE_SIZE = 1000;

const TIMEOUT_MS = 3000;

/**
 * The rules of an EncryptionConfiguration, in YAML or JSON. Messages never show what the file holds besides names.
 * @throws ConfigError that names the line and what to change
 */
export function parseEncryptionConfiguration(text: string, context: EncryptionContext): readonly EncryptionRule[] {
  const document = YamlPlace.of(text);
  const field = document.fields('kind', 'apiVersion', 'metadata', 'resources');
  const apiVersion = context.naming.apiVersion('apiserver.config', 'v1');
  if (field('kind').text() !== 'EncryptionConfiguration')
    throw field('kind').mistake('must be "EncryptionConfiguration"');
  if (field('apiVersion').text() !== apiVersion) throw field('apiVersion').mistake(`must be "${apiVersion}"`);
  const named = new Set<string>();
  const plugins = new Set<string>();
  return field('resources')
    .items()
    .map((entry) => {
      const part = entry.fields('resources', 'providers');
      const matches = part('resources')
        .items()
        .map((place) => readMatch(place, named, context));
      const providers = part('providers')
        .items()
        .map((place) => readProvider(place, plugins, context));
      return { matches, providers };
    });
}

function readMatch(place: YamlPlace, named: Set<string>, { naming, storageOf }: EncryptionContext): ResourceMatch {
  const name = place.text();
  const once = (match: ResourceMatch): ResourceMatch => {
    const id = `${match.group ?? '*'}/${match.plural ?? '*'}`;
    if (named.has(id)) throw place.mistake(`names ${JSON.stringify(name)} again`);
    named.add(id);
    return match;
  };
  const dot = name.indexOf('.');
  const plural = dot < 0 ? name : name.slice(0, dot);
  const group = dot < 0 ? '' : name.slice(dot + 1);
  if (plural === '*') {
    if (dot < 0) throw place.mistake('must not be "*": write "*." for the core group, "*.GROUP", or "*.*" for all');
    if (group === '*') return once({ group: undefined, plural: undefined });
    if (group.includes('*')) throw place.mistake('has a * in the name of a group');
    return once({ group: naming.shortForm(group), plural: undefined });
  }
  if (!/^[a-z0-9][a-z0-9-]*$/.test(plural) || !/^[a-z0-9.-]*$/.test(group))
    throw place.mistake('must be RESOURCE, or RESOURCE.GROUP');
  const short = naming.shortForm(group);
  if (naming.shortGroup(group) === undefined) return once({ group: short, plural });
  const storage = storageOf(short, plural);
  if (storage === undefined) throw place.mistake(`names no stored resource: there is no ${JSON.stringify(name)}`);
  if (storage.group !== short || storage.plural !== plural) {
    const there = storage.group === '' ? storage.plural : `${storage.plural}.${naming.group(storage.group)}`;
    throw place.mistake(`names objects that are stored as ${there}: name that instead`);
  }
  return once(storage);
}

function readProvider(place: YamlPlace, plugins: Set<string>, context: EncryptionContext): ProviderConfig {
  const field = place.fields(...KINDS);
  const [kind, ...others] = KINDS.filter((name) => place.has(name));
  if (kind === undefined || others.length > 0) throw place.mistake(`must be one of ${KINDS.join(', ')}`);
  if (kind === 'identity') {
    if (!field(kind).isMissing) field(kind).fields();
    return { kind };
  }
  if (kind === 'kms') return { kind, kms: readKms(field(kind), plugins, context) };
  const names = new Set<string>();
  const keys = field(kind)
    .fields('keys')('keys')
    .items()
    .map((key) => readKey(key, kind, names));
  return { kind, keys };
}

function readKey(place: YamlPlace, kind: KeyedKind, names: Set<string>): NamedKey {
  const field = place.fields('name', 'secret');
  const name = field('name').text();
  if (/[:\s]/.test(name) || name.length > 253) throw field('name').mistake('must be short, without colons and spaces');
  if (names.has(name)) throw field('name').mistake(`is that of an earlier key, ${JSON.stringify(name)}`);
  names.add(name);
  const text = field('secret').text();
  const secret = Buffer.from(text, 'base64');
  if (secret.toString('base64') !== text.trim()) throw field('secret').mistake('must be in base64');
  if (!KEY_BYTES[kind].includes(secret.length)) {
    const wanted = KEY_BYTES[kind].join(', ').replace(/, (\d+)$/, ' or $1');
    throw field('secret').mistake(`must have ${wanted} bytes for ${kind}, and has ${secret.length}`);
  }
  if (new Set(secret).size <= secret.length / 4)
    throw field('secret').mistake('is too simple to protect anything: take random bytes');
  return { name, secret };
}

function readKms(place: YamlPlace, plugins: Set<string>, { allowsKmsV2 }: EncryptionContext): KmsConfig {
  const field = place.fields('apiVersion', 'name', 'cachesize', 'endpoint', 'timeout');
  const apiVersion = field('apiVersion').isMissing ? 'v1' : field('apiVersion').text();
  if (apiVersion !== 'v1' && apiVersion !== 'v2') throw field('apiVersion').mistake('must be "v1" or "v2"');
  if (apiVersion === 'v2' && !allowsKmsV2)
    throw field('apiVersion').mistake('"v2" needs the feature gate: --feature-gates=KMSv2=true');
  const name = field('name').text();
  if (/[:\s]/.test(name) || name.length > 253) throw field('name').mistake('must be short, without colons and spaces');
  // v1 and v2 are told apart by what values begin with
  if (plugins.has(`${apiVersion}/${name}`))
    throw field('name').mistake(`is that of another plug-in, ${JSON.stringify(name)}`);
  plugins.add(`${apiVersion}/${name}`);
  const size = field('cachesize');
  if (apiVersion === 'v2' && !size.isMissing) throw size.mistake('is not for v2');
  const cacheSize = size.integer(CACHE_SIZE);
  if (cacheSize === 0) throw size.mistake('must not be 0; less than 0 means no limit');
  const endpoint = field('endpoint').text();
  const path = /^unix:\/\/(\/[^@].*)$/.exec(endpoint)?.[1];
  if (path === undefined) throw field('endpoint').mistake('must be the address of a socket like unix:///run/kms.sock');
  return { apiVersion, name, path, cacheSize, timeoutMs: readTimeout(field('timeout')) };
}

function readTimeout(place: YamlPlace): number {
  if (place.isMissing) return TIMEOUT_MS;
  let timeoutMs = 0;
  try {
    timeoutMs = parseDuration(place.text());
  } catch {
    throw place.mistake('must be a duration like 3s');
  }
  if (timeoutMs <= 0) throw place.mistake('must be positive');
  return timeoutMs;
}
