import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { ACCEPTS, type HostileRequest, OPTIONS } from '../make-request.ts';
import { mutated, mutatedBytes } from '../mutate.ts';
import { ODD_TEXTS, oddValue } from '../odd-values.ts';
import type { Random } from '../random.ts';
import { KINDS, makeVariant, VARIANTS, type Variant } from './make-definition.ts';
import { makeValue } from './make-schema.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const AGGREGATED = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';

/** Makes requests about kinds that appear and disappear, and about their objects. Equal numbers give equal requests. */
export class CustomRequestMaker {
  readonly #variants: readonly Variant[];

  constructor(seed: number, webhook: { readonly url: string; readonly caBundle: string }) {
    this.#variants = Array.from({ length: KINDS * VARIANTS }, (_, i) =>
      makeVariant(seed, i % KINDS, Math.floor(i / KINDS), webhook),
    );
  }

  make(random: Random): HostileRequest {
    const variant = random.pick(this.#variants);
    return random.weighed<HostileRequest>(
      [4, () => this.#apply(DEFINITIONS, variant.name, variant.definition, '?fieldManager=fuzz&force=true')],
      [5, () => this.#oddDefinition(random, variant)],
      [1, () => request('DELETE', `${DEFINITIONS}/${variant.name}`)],
      [1, () => request('GET', random.pick([DEFINITIONS, `${DEFINITIONS}/${variant.name}`]), {}, this.#accept(random))],
      [16, () => this.#write(random, variant)],
      [5, () => this.#read(random, variant)],
      [1, () => this.#remove(random, variant)],
      [1, () => this.#documents(random, variant)],
    );
  }

  /** Definitions that are correct, or nearly correct. */
  *definitions(): Generator<HostileRequest> {
    for (const { name, definition } of this.#variants.slice(0, KINDS))
      yield this.#apply(DEFINITIONS, name, definition, '?fieldManager=fuzz&force=true');
  }

  /** Requests that list all stored objects, in several forms. */
  *readings(): Generator<HostileRequest> {
    const table = 'application/json;as=Table;g=meta.orch.io;v=v1';
    for (const { group, plural } of this.#variants.slice(0, KINDS))
      for (const version of ['v1', 'v1beta1', 'v2'])
        for (const accept of ['application/json', 'application/yaml', table])
          yield request('GET', `/apis/${group}/${version}/${plural}`, {}, { Accept: accept });
    yield request('GET', '/openapi/v2');
    yield request('GET', '/openapi/v3');
    yield request('GET', '/apis', {}, { Accept: AGGREGATED });
  }

  /** Requests that remove all kinds, with their objects. */
  *removals(): Generator<HostileRequest> {
    for (const { name } of this.#variants.slice(0, KINDS)) yield request('DELETE', `${DEFINITIONS}/${name}`);
  }

  #apply(collection: string, name: string, value: JsonValue, query: string): HostileRequest {
    return request('PATCH', `${collection}/${encodeURIComponent(name)}${query}`, value, {
      'Content-Type': 'application/apply-patch+yaml',
    });
  }

  #oddDefinition(random: Random, { name, definition }: Variant): HostileRequest {
    const odd = mutated(random, definition);
    const dry = random.chance(0.5) ? '&dryRun=All' : '';
    const path = `${DEFINITIONS}/${name}`;
    return random.weighed<HostileRequest>(
      [3, () => this.#apply(DEFINITIONS, name, odd, `?fieldManager=fuzz&force=true${dry}`)],
      [2, () => request('POST', `${DEFINITIONS}?x=1${dry}`, odd)],
      [1, () => request('PUT', `${path}?x=1${dry}`, odd)],
      [2, () => patch('merge-patch+json', `${path}?x=1${dry}`, isObject(odd) ? { spec: odd['spec'] ?? null } : odd)],
      [1, () => patch('json-patch+json', `${path}?x=1${dry}`, operations(random, definition))],
      [1, () => patch('merge-patch+json', `${path}/status`, { status: oddValue(random) })],
    );
  }

  #write(random: Random, variant: Variant): HostileRequest {
    const { version, path } = this.#place(random, variant);
    const name = random.chance(0.02) ? random.pick(ODD_TEXTS) : random.pick(NAMES);
    const object = this.#object(random, variant, version, name);
    const named = `${path}/${encodeURIComponent(name)}`;
    const sub = random.chance(0.15) ? random.pick(['/status', '/scale']) : '';
    const query = this.#query(random);
    const sent = (type: string, value: JsonValue, method = 'PATCH', target = named + sub): HostileRequest => {
      const body = Buffer.from(JSON.stringify(value));
      const headers = { 'Content-Type': type, ...this.#accept(random) };
      return {
        as: 'admin',
        method,
        target: target + query,
        headers,
        body: random.chance(0.03) ? mutatedBytes(random, body) : body,
      };
    };
    return random.weighed<HostileRequest>(
      [5, () => sent('application/json', object, 'POST', path)],
      [2, () => sent('application/json', object, 'PUT')],
      [4, () => this.#apply(path, name, object, query === '' ? '?fieldManager=fuzz&force=true' : query)],
      [3, () => sent('application/merge-patch+json', object)],
      [2, () => sent('application/json-patch+json', operations(random, object))],
      [0.2, () => sent('application/strategic-merge-patch+json', object)],
    );
  }

  #read(random: Random, variant: Variant): HostileRequest {
    const { path } = this.#place(random, variant);
    const query = this.#query(random);
    const target = random.weighed(
      [3, () => `${path}${query}`],
      [3, () => `${path}/${random.pick(NAMES)}${query}`],
      [1, () => `${path}/${random.pick(NAMES)}/${random.pick(['status', 'scale', 'x'])}`],
      [0.2, () => `${path}?watch=true&timeoutSeconds=1${random.chance(0.5) ? '&resourceVersion=0' : ''}`],
    );
    return request('GET', target, {}, this.#accept(random));
  }

  #remove(random: Random, variant: Variant): HostileRequest {
    const { path } = this.#place(random, variant);
    const query = random.pick(['', '?propagationPolicy=Foreground', '?gracePeriodSeconds=0']);
    return request('DELETE', random.chance(0.9) ? `${path}/${random.pick(NAMES)}${query}` : `${path}${query}`);
  }

  #documents(random: Random, { group }: Variant): HostileRequest {
    const path = random.pick([
      ...['/apis', `/apis/${group}`, `/apis/${group}/v1`, '/openapi/v2', '/openapi/v3'],
      `/openapi/v3/apis/${group}/v1`,
    ]);
    const binary = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const forms = ['application/json', AGGREGATED, binary, binary.replaceAll('v2', 'v3')];
    return request('GET', path, {}, { Accept: random.pick(forms) });
  }

  #place(random: Random, { group, plural, namespaced, schemas }: Variant): { version: string; path: string } {
    const version = random.chance(0.05) ? random.pick(['v1', 'v1beta1', 'v2', 'v3']) : random.pick([...schemas.keys()]);
    const namespace = namespaced === random.chance(0.02) ? '' : '/namespaces/default';
    return { version, path: `/apis/${group}/${version}${namespace}/${plural}` };
  }

  #object(random: Random, { group, kind, namespaced, schemas }: Variant, version: string, name: string): JsonValue {
    const schema = schemas.get(version) ?? {};
    const value = makeValue(random, schema);
    const object: JsonObject = {
      ...(isObject(value) ? value : {}),
      apiVersion: `${group}/${version}`,
      kind,
      metadata: {
        name,
        ...(namespaced && { namespace: 'default' }),
        ...(random.chance(0.3) && { labels: { a: random.pick(['b', 'c']) } }),
        ...(random.chance(0.02) && { finalizers: ['example.com/f'] }),
      },
    };
    return random.chance(0.5) ? mutated(random, object) : object;
  }

  #query(random: Random): string {
    const query = new URLSearchParams();
    for (let left = random.pick([0, 0, 0, 1, 2]); left > 0; left--) {
      const [name, values] = random.pick(OPTIONS);
      if (name !== 'timeout') query.append(name, random.pick(values));
    }
    const text = query.toString();
    return text === '' ? '' : `?${text}`;
  }

  #accept(random: Random): Record<string, string> {
    return random.chance(0.15) ? { Accept: random.pick(ACCEPTS) } : {};
  }
}

function request(
  method: string,
  target: string,
  value: JsonValue = {},
  headers: Readonly<Record<string, string>> = {},
): HostileRequest {
  const body = method === 'GET' || method === 'DELETE' ? undefined : Buffer.from(JSON.stringify(value));
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return { as: 'admin', method, target, headers: { ...type, ...headers }, body };
}

function patch(type: string, target: string, value: JsonValue): HostileRequest {
  return request('PATCH', target, value, { 'Content-Type': `application/${type}` });
}

/** Operations at places that an object has, and at some places that it does not have. */
function operations(random: Random, object: JsonValue): JsonValue {
  const paths = ['', '/metadata/labels/a', '/spec', '/spec/a', '/spec/-', '/x/~2', '/__proto__/x', ...pathsOf(object)];
  const list = Array.from(
    { length: random.pick([1, 1, 2, 4]) },
    (): JsonValue => ({
      op: random.pick(['add', 'remove', 'replace', 'replace', 'move', 'copy', 'test']),
      path: random.pick(paths),
      from: random.pick(paths),
      value: oddValue(random),
    }),
  );
  return random.chance(0.2) ? mutated(random, list) : list;
}

function pathsOf(value: JsonValue, path = '', left = { count: 200 }): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, each]) => {
    if (left.count-- <= 0) return [];
    const below = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [below, ...pathsOf(each as JsonValue, below, left)];
  });
}
