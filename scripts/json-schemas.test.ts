import assert from 'node:assert/strict';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { validObjects } from '#server/kinds/testing/valid-objects.ts';
import { readExamples } from './api-pages/examples.ts';
import { jsonSchemas } from './json-schemas.ts';

const naming = createNaming('orch');
const examples = readExamples(path.resolve(import.meta.dirname, '../proto/examples'));

/** Kinds with a template of pods, of which a Deployment shows what all have: a validator of each takes a second. */
const LIKE_DEPLOYMENT = /^(DaemonSet|ReplicaSet|StatefulSet|CronJob|Job|Pod|PodTemplate|ReplicationController)$/;
const isTried = (kind: string): boolean => !LIKE_DEPLOYMENT.test(kind);

describe('JSON Schemas of kinds', () => {
  let files: Map<string, JsonObject>;
  let validators: Map<string, ValidateFunction>;

  before(async () => {
    files = await jsonSchemas(naming);
    validators = new Map();
  });

  function validate(file: string, object: unknown): string[] {
    let check = validators.get(file);
    if (check === undefined) {
      check = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(files.get(file)!);
      validators.set(file, check);
    }
    return check(object) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }

  const fileOf = (apiVersion: string, kind: string): string => {
    const [version = '', group = 'core'] = apiVersion.split('/').reverse();
    return `${naming.shortForm(group)}/${version}/${kind.toLowerCase()}.json`;
  };

  it('accept every example of the reference pages', () => {
    const tried = examples.filter(({ object }) => isTried(object.kind));
    const wrong = tried.flatMap(({ object }) =>
      validate(fileOf(object.apiVersion, object.kind), object).map((error) => `${object.kind}${error}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('accept every object that the tests of kinds use as valid', () => {
    const schema = loadSchema(naming, 'every');
    const wrong = Object.entries(validObjects).flatMap(([name, object]) => {
      const { resource } = schema.message(name);
      if (!isTried(resource!.kind) || resource!.storage?.version !== resource!.version) return [];
      const apiVersion = naming.apiVersion(resource!.group, resource!.version);
      const { metadata } = asObject({ ...object } as JsonObject);
      const whole = { apiVersion, kind: resource!.kind, ...object, metadata: { name: 'x', ...metadata } };
      return validate(fileOf(apiVersion, resource!.kind), whole).map((error) => `${name}${error}`);
    });
    assert.deepEqual(wrong, []);
  });

  const web = examples.find(({ object }) => object.kind === 'Deployment')!.object;
  const spoilt: [what: string, change: (object: JsonObject) => void, error: string][] = [
    [
      'an unknown field',
      (it) => Object.assign(at(it, 'spec'), { replica: 3 }),
      '/spec must NOT have additional properties',
    ],
    [
      'a text instead of a number',
      (it) => Object.assign(at(it, 'spec'), { replicas: '3' }),
      '/spec/replicas must be integer',
    ],
    [
      'a number below its minimum',
      (it) => Object.assign(at(it, 'spec'), { replicas: -1 }),
      '/spec/replicas must be >= 0',
    ],
    ['a missing field', (it) => delete at(it, 'spec')['selector'], "/spec must have required property 'selector'"],
    [
      'an unknown value',
      (it) => Object.assign(at(it, 'spec', 'strategy'), { type: 'Slow' }),
      '/spec/strategy/type must be equal to one of the allowed values',
    ],
    [
      'an invalid name',
      (it) => Object.assign(at(it, 'spec', 'template', 'spec', 'containers', 0), { name: 'Web' }),
      '/spec/template/spec/containers/0/name must match pattern "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"',
    ],
    ['another kind', (it) => Object.assign(it, { kind: 'Deploy' }), '/kind must be equal to constant'],
  ];
  for (const [what, change, error] of spoilt) {
    it(`refuse ${what}`, () => {
      const object = structuredClone(web) as unknown as JsonObject;
      change(object);
      assert.deepEqual(validate('apps/v1/deployment.json', object), [error]);
    });
  }

  it('mark fields that only the server or a subresource writes as read-only', () => {
    const { properties } = files.get('apps/v1/deployment.json') as { properties: Record<string, JsonObject> };
    assert.equal(properties['status']!['readOnly'], true);
    assert.equal(properties['spec']!['readOnly'], undefined);
    const node = files.get('core/v1/node.json') as { properties: Record<string, JsonObject> };
    assert.equal(node.properties['status']!['readOnly'], undefined, 'nodes register with it');
  });

  it('include a schema for a manifest of any kind', () => {
    const { allOf, ...rest } = files.get('all.json') as { allOf: { then: { $ref: string } }[] };
    const named = allOf.map(({ then }) => then.$ref);
    assert.deepEqual([...named, 'all.json'].sort(), [...files.keys()].sort());
    const some = ['core/v1/configmap.json', 'core/v1/secret.json'];
    const ajv = new Ajv({ strict: true, strictTypes: false });
    for (const file of some) ajv.addSchema(files.get(file)!, file);
    const check = ajv.compile({ ...rest, allOf: allOf.filter(({ then }) => some.includes(then.$ref)) });
    assert.ok(check({ apiVersion: 'v1', kind: 'ConfigMap', data: {} }));
    assert.ok(!check({ apiVersion: 'v1', kind: 'ConfigMap', dat: {} }));
    assert.ok(check({ apiVersion: 'example.com/v1', kind: 'Gizmo', dat: {} }), 'kinds that users define are taken');
  });
});

function at(object: JsonObject, ...way: readonly (string | number)[]): JsonObject {
  return way.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], object) as JsonObject;
}
