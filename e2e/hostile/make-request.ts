import { stringify as toYaml } from 'yaml';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ResourceType, Schema } from '#schema/descriptors/types.ts';
import { encodeMessage } from '#server/codecs/protobuf/encode.ts';
import { wrap } from '#server/codecs/protobuf/envelope.ts';
import { validObjects } from '#server/kinds/testing/valid-objects.ts';
import { makeMessage, NAMES } from './make-object.ts';
import { mutated, mutatedBytes } from './mutate.ts';
import { ODD_TEXTS, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** A request to send. */
export interface HostileRequest {
  readonly as: 'admin' | 'user' | 'anonymous';
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/**
 * Kinds whose objects change the answers to other requests, or make the server wait for another server. The test sends
 * them only as trials, which the server never stores.
 */
const ONLY_TRIED = new Set([
  'admissionregistration',
  'apiregistration',
  'apiextensions',
  'rbac.authorization',
  'flowcontrol.apiserver',
]);
const ONLY_TRIED_HERE = new Set(['resourcequotas', 'limitranges', 'runtimeclasses', 'priorityclasses']);

/** Subresources that another server answers. That server does not exist here. */
const CONNECTED = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const ALL_VERBS = Object.keys(METHODS);
const ON_OBJECTS = new Set(['get', 'update', 'patch', 'delete']);

/** The verbs. Verbs that send an object occur more often. */
function busy(verbs: readonly string[]): readonly string[] {
  return verbs.flatMap((verb) => {
    const times = { create: 6, update: 4, patch: 8 }[verb] ?? 1;
    return Array.from({ length: times }, () => verb);
  });
}

const PATCHES = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'] as const;

const SELECTORS: readonly string[] = [
  'a=b',
  'a!=b',
  'a in (b,c)',
  'a notin (b)',
  '!a',
  'a',
  'a>1',
  'a<1',
  'metadata.name=a',
  'metadata.name!=a',
  'spec.nodeName=x',
  'status.phase=Running',
  'a=b,a!=b',
  'a in (',
  '=',
  ',',
  '!!a',
  'a==b',
  ...ODD_TEXTS.slice(0, 60),
];

/** Query options, with correct, odd and wrong values. */
export const OPTIONS: readonly [name: string, values: readonly string[]][] = [
  ['limit', ['0', '1', '2', '-1', '500', '9223372036854775807', '9223372036854775808', 'x', '1.5']],
  ['continue', ['', 'x', 'eyJ2IjoibWV0YS5vcmNoLmlvL3YxIiwicnYiOjEsInN0YXJ0IjoiYSJ9', 'bnVsbA', 'W10', '%00']],
  ['labelSelector', SELECTORS],
  ['fieldSelector', SELECTORS],
  ['resourceVersion', ['0', '1', '-1', 'x', '18446744073709551616', ' 1', '1e3']],
  ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'x', '']],
  ['allowWatchBookmarks', ['true', 'x']],
  ['pretty', ['true', 'false', 'x']],
  ['dryRun', ['All', 'None', '']],
  ['fieldManager', ['x', '', 'a'.repeat(129), '\u0000']],
  ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'x']],
  ['force', ['true', 'false', '1', 'x']],
  ['propagationPolicy', ['Orphan', 'Background', 'Foreground', 'x']],
  ['gracePeriodSeconds', ['0', '1', '-1', '9223372036854775808', 'x']],
  ['orphanDependents', ['true', 'x']],
  ['timeout', ['1s', '0', '-1s', '1ns', '10m', 'x']],
  ['timeoutSeconds', ['1', 'x']],
  ['includeObject', ['None', 'Metadata', 'Object', 'x']],
  ['__proto__', ['x']],
];

/** Accept headers that clients send, and some that no client sends. */
export const ACCEPTS: readonly string[] = [
  'application/json',
  'application/yaml',
  '*/*',
  'text/html',
  '',
  'application/json;as=Table;g=meta.orch.io;v=v1',
  'application/json;as=Table;g=meta.orch.io;v=v1beta1',
  'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1',
  'application/yaml;as=Table;g=meta.orch.io;v=v1',
  'application/json;as=__proto__;g=;v=',
  'application/json;stream=watch',
  'application/json;q=0.1;charset="utf-8',
  ',,,;;;===',
  'application/*;q=1e400',
];

const PLAIN_PATHS: readonly string[] = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/version',
  '/healthz',
  '/livez?verbose',
  '/readyz?exclude=etcd&exclude=x',
  '/readyz/etcd',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1?hash=x',
  '/openapi/v3/apis/apps/v1',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/logs',
  '/logs/../../etc/passwd',
];

/** A valid object of a message in the namespace of all objects here. */
function validObject(message: string): JsonObject | undefined {
  const found = Object.entries(validObjects).find(([of]) => of === message)?.[1];
  const text = JSON.stringify(found)?.replaceAll('"namespace":"n"', '"namespace":"default"');
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
}

/** Makes requests about all kinds in all forms of body. The same random numbers give the same requests. */
export class RequestMaker {
  readonly #naming: Naming;
  readonly #resources: readonly ResourceType[];
  readonly #accepts: readonly string[];

  constructor(naming: Naming, schema: Schema) {
    this.#naming = naming;
    this.#resources = schema.groupVersions.flatMap(({ resources }) => resources);
    const binary = naming.protobufMediaType;
    this.#accepts = [...ACCEPTS, binary, `${binary};as=Table;g=meta.orch.io;v=v1`, `${binary};stream=watch`];
  }

  /** Creates a valid object of each kind, so that later requests have objects to work on. */
  *creations(): Generator<HostileRequest> {
    for (const resource of this.#resources) {
      const { message, group, version, kind, plural } = resource;
      if (!resource.verbs.includes('create') || ONLY_TRIED.has(group) || ONLY_TRIED_HERE.has(plural)) continue;
      for (const name of NAMES) {
        const valid = validObject(message.name) ?? {};
        const metadata = { ...(valid['metadata'] as JsonObject | undefined), name, namespace: 'default' };
        if (!resource.namespaced) Reflect.deleteProperty(metadata, 'namespace');
        const object = { ...valid, apiVersion: this.#naming.apiVersion(group, version), kind, metadata };
        yield {
          as: 'admin',
          method: 'POST',
          target: this.#collection(resource, '/namespaces/default'),
          headers: { 'Content-Type': 'application/json' },
          body: Buffer.from(JSON.stringify(object)),
        };
      }
    }
  }

  make(random: Random): HostileRequest {
    const as = random.weighed<HostileRequest['as']>([48, () => 'admin'], [1, () => 'user'], [1, () => 'anonymous']);
    const request = random.chance(0.03) ? this.#plain(random) : this.#ofResource(random, random.pick(this.#resources));
    return { ...request, as };
  }

  #plain(random: Random): Omit<HostileRequest, 'as'> {
    const method = random.pick(['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
    const path = random.pick(PLAIN_PATHS);
    const target = random.chance(0.3) ? mutatedText(random, path) : path;
    return { method, target, headers: this.#headers(random, undefined), body: undefined };
  }

  #ofResource(random: Random, resource: ResourceType): Omit<HostileRequest, 'as'> {
    const subs = resource.subresources.filter(({ name }) => !CONNECTED.has(name));
    const sub = subs.length > 0 && random.chance(0.25) ? random.pick(subs) : undefined;
    const name = random.chance(0.05) ? random.pick(ODD_TEXTS) : random.pick(NAMES);
    const verb = random.chance(0.03) ? random.pick(ALL_VERBS) : random.pick(busy(sub?.verbs ?? resource.verbs));
    const method = METHODS[verb] ?? 'GET';
    const onObject = sub !== undefined || ON_OBJECTS.has(verb);
    const query = this.#query(random, resource, method, onObject);
    const path = this.#path(random, resource, onObject ? name : undefined, sub?.name);
    const target = `${random.chance(0.02) ? mutatedText(random, path) : path}${query}`;
    if (method === 'GET' || (method === 'DELETE' && random.chance(0.6))) {
      return { method, target, headers: this.#headers(random, undefined), body: undefined };
    }
    const { type, body } = this.#body(random, resource, method, name, sub?.kind);
    return { method, target, headers: this.#headers(random, type), body };
  }

  #path(random: Random, resource: ResourceType, name: string | undefined, sub: string | undefined): string {
    const namespace = random.weighed<string>(
      [30, () => '/namespaces/default'],
      [1, () => ''],
      [0.5, () => '/namespaces/none'],
      [0.5, () => `/namespaces/${encodeURIComponent(random.pick(ODD_TEXTS))}`],
    );
    const parts = [...(name === undefined ? [] : [encodeURIComponent(name)]), ...(sub === undefined ? [] : [sub])];
    return [this.#collection(resource, namespace), ...parts].join('/');
  }

  #collection({ group, version, plural, namespaced }: ResourceType, namespace: string): string {
    const prefix = group === '' ? `/api/${version}` : `/apis/${this.#naming.group(group)}/${version}`;
    return `${prefix}${namespaced ? namespace : ''}/${plural}`;
  }

  #query(random: Random, resource: ResourceType, method: string, onObject: boolean): string {
    const query = new URLSearchParams();
    for (let left = random.pick([0, 0, 0, 1, 1, 2, 3]); left > 0; left--) {
      const [name, values] = random.pick(OPTIONS);
      query.append(name, random.chance(0.1) ? random.pick(ODD_TEXTS.slice(0, 60)) : random.pick(values));
    }
    // These requests are long by design.
    if (method === 'GET' && !onObject && random.chance(0.02)) {
      query.set('watch', 'true');
      query.set('timeoutSeconds', '1');
    } else query.delete('watch');
    const { group, plural } = resource;
    if (ONLY_TRIED.has(group) || ONLY_TRIED_HERE.has(plural)) query.set('dryRun', 'All');
    const text = query.toString();
    return text === '' ? '' : `?${text}`;
  }

  #headers(random: Random, type: string | undefined): Record<string, string> {
    const headers: Record<string, string> = {};
    if (type !== undefined) headers['Content-Type'] = random.chance(0.02) ? oddHeader(random) : type;
    if (random.chance(0.15)) headers['Accept'] = random.chance(0.05) ? oddHeader(random) : random.pick(this.#accepts);
    if (random.chance(0.05)) headers['Accept-Encoding'] = random.pick(['gzip', 'gzip;q=0', 'br', '*', ',']);
    if (random.chance(0.01)) headers['Impersonate-User'] = oddHeader(random);
    if (random.chance(0.01)) headers['Impersonate-Extra-%zz'] = oddHeader(random);
    if (random.chance(0.01)) headers['Authorization'] = `Bearer ${oddHeader(random)}`;
    if (random.chance(0.02)) headers['User-Agent'] = oddHeader(random);
    if (random.chance(0.02)) headers['Audit-ID'] = oddHeader(random);
    return headers;
  }

  #body(random: Random, resource: ResourceType, method: string, name: string, sub: string | undefined) {
    if (method === 'DELETE') return this.#written(random, this.#deleteOptions(random), resource, undefined);
    const object = this.#object(random, resource, name, sub);
    if (method !== 'PATCH') return this.#written(random, object, resource, sub);
    const kind = random.pick(PATCHES);
    const patch =
      kind === 'json-patch+json'
        ? jsonPatch(random, object)
        : kind === 'apply-patch+yaml'
          ? object
          : part(random, object);
    const text = random.chance(0.3) && kind === 'apply-patch+yaml' ? yamlOf(patch) : JSON.stringify(patch);
    return { type: `application/${kind}`, body: spoilt(random, Buffer.from(text)) };
  }

  #object(random: Random, resource: ResourceType, name: string, sub: string | undefined): JsonValue {
    const { message, group, version, kind } = resource;
    const known = random.chance(0.6)
      ? Object.entries(validObjects).find(([of]) => of === message.name)?.[1]
      : undefined;
    const made = (known ?? makeMessage(random, message)) as JsonObject;
    const metadata = isObject(made['metadata'] ?? null) && random.chance(0.5) ? (made['metadata'] as JsonObject) : {};
    const scale = sub === 'Scale' ? { spec: { replicas: random.pick([0, 1, 3]) } } : {};
    const object: JsonObject = {
      ...structuredClone(made),
      ...scale,
      apiVersion: sub === 'Scale' ? 'autoscaling/v1' : this.#naming.apiVersion(group, version),
      kind: sub ?? kind,
      metadata: { ...metadata, name, ...(resource.namespaced && { namespace: 'default' }) },
    };
    return random.chance(0.75) ? mutated(random, object) : object;
  }

  #deleteOptions(random: Random): JsonValue {
    const options: JsonObject = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: random.pick([0, 1, -1]),
      preconditions: { uid: 'x', resourceVersion: '1' },
      propagationPolicy: random.pick(['Orphan', 'Background', 'Foreground']),
      dryRun: ['All'],
    };
    for (const field of Object.keys(options)) if (random.chance(0.5)) delete options[field];
    return random.chance(0.5) ? mutated(random, options) : options;
  }

  #written(random: Random, value: JsonValue, resource: ResourceType, sub: string | undefined) {
    return random.weighed(
      [4, () => ({ type: 'application/json', body: spoilt(random, Buffer.from(JSON.stringify(value))) })],
      [2, () => ({ type: 'application/yaml', body: spoilt(random, Buffer.from(yamlOf(value))) })],
      [2, () => ({ type: this.#naming.protobufMediaType, body: this.#binary(random, value, resource, sub) })],
    );
  }

  #binary(
    random: Random,
    value: JsonValue,
    { message, group, version, kind }: ResourceType,
    sub: string | undefined,
  ): Buffer {
    let raw: Buffer;
    try {
      raw = encodeMessage(message, value as JsonObject);
    } catch {
      raw = encodeMessage(message, validObject(message.name) ?? {});
    }
    const whole = wrap(
      this.#naming.apiVersion(group, version),
      sub ?? kind,
      random.chance(0.5) ? mutatedBytes(random, raw) : raw,
    );
    return random.chance(0.1) ? mutatedBytes(random, whole) : whole;
  }
}

/** Sometimes changes the bytes, so that they are slightly wrong. */
function spoilt(random: Random, bytes: Buffer): Buffer {
  return random.chance(0.1) ? mutatedBytes(random, bytes) : bytes;
}

function yamlOf(value: JsonValue): string {
  try {
    return toYaml(value);
  } catch {
    return JSON.stringify(value);
  }
}

/** Some members of an object, as in a patch. */
function part(random: Random, value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name === 'metadata' || random.chance(0.6)));
}

function jsonPatch(random: Random, object: JsonValue): JsonValue {
  const paths = [
    '',
    '/',
    '/metadata/labels',
    '/metadata/labels/a',
    '/spec',
    '/data/a',
    '/metadata/name',
    '/spec/-',
    '/metadata/finalizers/-',
    '/x/~2',
    '/__proto__/x',
    '/metadata/managedFields/0',
  ];
  const operations = Array.from(
    { length: random.pick([1, 1, 2, 3]) },
    (): JsonValue => ({
      op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
      path: random.pick(paths),
      from: random.pick(paths),
      value: random.chance(0.3) ? object : oddValue(random),
    }),
  );
  return random.chance(0.3) ? mutated(random, operations) : operations;
}

function mutatedText(random: Random, text: string): string {
  const changed = mutatedBytes(random, Buffer.from(text)).toString('latin1');
  // Node.js does not send characters that a target cannot contain.
  return `/${changed.replace(/[^!-~]/g, '%').replace(/^\/+/, '')}`;
}

function oddHeader(random: Random): string {
  // The value has no characters that a header cannot contain.
  return random
    .pick(ODD_TEXTS)
    .slice(0, 2000)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}
