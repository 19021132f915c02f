import type { Naming } from '#base/naming/naming.ts';
import { parseDuration } from '#program/flags/duration.ts';
import { encryption } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';
import type { Path, Problem } from '#program/operator-files/validate.ts';

/** One way to encrypt values. A configuration lists them in order. */
export type ProviderConfig =
  | { readonly kind: 'identity' }
  | { readonly kind: KeyedKind; readonly keys: readonly NamedKey[] }
  | { readonly kind: 'kms'; readonly kms: KmsConfig };

/** The providers whose keys are in the file. */
export type KeyedKind = 'aesgcm' | 'aescbc' | 'secretbox';

export interface NamedKey {
  readonly name: string;
  readonly secret: Buffer;
}

/** A plug-in that keeps the keys for data keys. */
export interface KmsConfig {
  readonly apiVersion: 'v1' | 'v2';
  readonly name: string;
  /** The path of its socket. */
  readonly path: string;
  /** How many data keys are kept in memory; 0 or less for no limit. */
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

/** The resources of one entry of a configuration. The group is in its short form. Undefined means any group. */
export interface ResourceMatch {
  readonly group: string | undefined;
  readonly plural: string | undefined;
}

/** An entry of a configuration. The first provider encrypts, and all providers decrypt. */
export interface EncryptionRule {
  readonly matches: readonly ResourceMatch[];
  readonly providers: readonly ProviderConfig[];
}

/** The parts of this server that a configuration may name. */
export interface EncryptionContext {
  readonly naming: Naming;
  /** Whether plug-ins may use v2, which is still an alpha version. */
  readonly allowsKmsV2: boolean;
  /**
   * The group and name under which a built-in resource is stored, by the short group; undefined for an unknown
   * resource.
   */
  storageOf(group: string, plural: string): { readonly group: string; readonly plural: string } | undefined;
}

const KEY_BYTES: Readonly<Record<KeyedKind, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};

const KINDS = ['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms'] as const;

/** The default number of data keys in memory. */
const CACHE_SIZE = 1000;

const TIMEOUT_MS = 3000;

type Configuration = ValueOfKind<typeof encryption>;
type Provider = Configuration['resources'][number]['providers'][number];
type Key = NonNullable<Provider[KeyedKind]>['keys'][number];
type Kms = NonNullable<Provider['kms']>;

/**
 * The rules of an EncryptionConfiguration. Messages show only names from the file.
 * @throws ConfigError with a line for each mistake, which shows its place and its correction
 */
export function readEncryption(part: FilePart, context: EncryptionContext): readonly EncryptionRule[] {
  const { resources } = part.as(encryption, context.naming);
  const reader = new Reader(context);
  const rules = resources.map((entry, i) => ({
    matches: entry.resources.flatMap((name, j) => reader.match(name, ['resources', i, 'resources', j])),
    providers: entry.providers.flatMap((provider, j) => reader.provider(provider, ['resources', i, 'providers', j])),
  }));
  part.refuse(reader.problems);
  return rules;
}

/** Checks what the schema cannot check, and collects all mistakes. Entries with mistakes are left out. */
class Reader {
  readonly problems: Problem[] = [];
  readonly #context: EncryptionContext;
  readonly #named = new Set<string>();
  readonly #plugins = new Set<string>();

  constructor(context: EncryptionContext) {
    this.#context = context;
  }

  match(name: string, at: Path): ResourceMatch[] {
    const { naming, storageOf } = this.#context;
    const once = (match: ResourceMatch): ResourceMatch[] => {
      const id = `${match.group ?? '*'}/${match.plural ?? '*'}`;
      if (this.#named.has(id)) return this.#wrong(at, `names ${JSON.stringify(name)} again`);
      this.#named.add(id);
      return [match];
    };
    const dot = name.indexOf('.');
    const plural = dot < 0 ? name : name.slice(0, dot);
    const group = dot < 0 ? '' : name.slice(dot + 1);
    if (plural === '*') {
      if (dot < 0)
        return this.#wrong(at, 'must not be "*": write "*." for the core group, "*.GROUP", or "*.*" for all');
      if (group === '*') return once({ group: undefined, plural: undefined });
      if (group.includes('*')) return this.#wrong(at, 'has a * in the name of a group');
      return once({ group: naming.shortForm(group), plural: undefined });
    }
    if (!/^[a-z0-9][a-z0-9-]*$/.test(plural) || !/^[a-z0-9.-]*$/.test(group))
      return this.#wrong(at, 'must be RESOURCE, or RESOURCE.GROUP');
    const short = naming.shortForm(group);
    if (naming.shortGroup(group) === undefined) return once({ group: short, plural });
    const storage = storageOf(short, plural);
    if (storage === undefined) return this.#wrong(at, `names no stored resource: there is no ${JSON.stringify(name)}`);
    if (storage.group !== short || storage.plural !== plural) {
      const there = storage.group === '' ? storage.plural : `${storage.plural}.${naming.group(storage.group)}`;
      return this.#wrong(at, `names objects that are stored as ${there}: name that instead`);
    }
    return once(storage);
  }

  provider(provider: Provider, at: Path): ProviderConfig[] {
    const kind = KINDS.find((name) => Object.hasOwn(provider, name))!;
    if (kind === 'identity') return [{ kind }];
    const given = provider[kind];
    if (given === undefined || given === null) return this.#wrong([...at, kind], 'is missing');
    if (kind === 'kms') return this.#kms(given as Kms, [...at, kind]).map((kms) => ({ kind, kms }));
    const names = new Set<string>();
    const { keys } = given as NonNullable<Provider[KeyedKind]>;
    return [{ kind, keys: keys.flatMap((key, i) => this.#key(key, [...at, kind, 'keys', i], kind, names)) }];
  }

  #key({ name, secret: text }: Key, at: Path, kind: KeyedKind, names: Set<string>): NamedKey[] {
    if (names.has(name)) this.#wrong([...at, 'name'], `is that of an earlier key, ${JSON.stringify(name)}`);
    names.add(name);
    const wrong = (what: string) => this.#wrong([...at, 'secret'], what);
    const secret = Buffer.from(text, 'base64');
    if (secret.toString('base64') !== text.trim()) return wrong('must be in base64');
    if (!KEY_BYTES[kind].includes(secret.length)) {
      const wanted = KEY_BYTES[kind].join(', ').replace(/, (\d+)$/, ' or $1');
      return wrong(`must have ${wanted} bytes for ${kind}, and has ${secret.length}`);
    }
    if (new Set(secret).size <= secret.length / 4) return wrong('is too simple to protect anything: take random bytes');
    return [{ name, secret }];
  }

  #kms({ apiVersion: written, name, endpoint, cachesize, timeout }: Kms, at: Path): KmsConfig[] {
    const apiVersion = written ?? 'v1';
    if (apiVersion === 'v2' && !this.#context.allowsKmsV2)
      this.#wrong([...at, 'apiVersion'], '"v2" needs the feature gate: --feature-gates=KMSv2=true');
    // An encrypted value begins with the version and the name.
    if (this.#plugins.has(`${apiVersion}/${name}`))
      this.#wrong([...at, 'name'], `is that of another plug-in, ${JSON.stringify(name)}`);
    this.#plugins.add(`${apiVersion}/${name}`);
    const size = [...at, 'cachesize'];
    if (apiVersion === 'v2' && cachesize !== undefined && cachesize !== null) this.#wrong(size, 'is not for v2');
    if (cachesize === 0) this.#wrong(size, 'must not be 0; less than 0 means no limit');
    const timeoutMs = this.#timeout(timeout, [...at, 'timeout']);
    const path = endpoint.slice('unix://'.length);
    return [{ apiVersion, name, path, cacheSize: cachesize ?? CACHE_SIZE, timeoutMs }];
  }

  #timeout(text: string | null | undefined, at: Path): number {
    if (text === undefined || text === null) return TIMEOUT_MS;
    try {
      const timeoutMs = parseDuration(text);
      if (timeoutMs <= 0) this.#wrong(at, 'must be positive');
      return timeoutMs;
    } catch {
      this.#wrong(at, 'must be a duration like 3s');
      return TIMEOUT_MS;
    }
  }

  #wrong(path: Path, what: string): [] {
    this.problems.push({ path, what });
    return [];
  }
}
