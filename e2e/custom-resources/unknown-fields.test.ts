import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';

const GROUP = 'unknown.example';
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;

const known = { type: 'object', properties: { a: { type: 'string' } } };
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const map = (additionalProperties: JsonValue): JsonObject => ({ type: 'object', additionalProperties });
const keyed = { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['a'] };
const kept = { 'x-orch-preserve-unknown-fields': true };
const embedded = { type: 'object', 'x-orch-embedded-resource': true, properties: { spec: known } };
const named = { apiVersion: 'v1', kind: 'K', metadata: {} };

interface Shape {
  readonly schema: JsonObject;
  /** A value that has only fields of the schema. */
  readonly good: JsonValue;
  /** A value with one additional field. */
  readonly bad: JsonValue;
  /** The path of the field in the error of a create, below the field of the shape. */
  readonly at: string;
  /** The error of an apply, if it is not the error about an unknown field. */
  readonly merge?: string;
}

const undeclared = 'field not declared in schema';

/** All ways to a field that a schema does not contain. */
const SHAPES: Readonly<Record<string, Shape>> = {
  member: { schema: known, good: { a: 'x' }, bad: { q: 1 }, at: '.q', merge: `.q: ${undeclared}` },
  items: { schema: list(known), good: [{ a: 'x' }], bad: [{ q: 1 }], at: '[0].q', merge: `[0].q: ${undeclared}` },
  keyedItems: {
    schema: list({ ...known, required: ['a'] }, keyed),
    good: [{ a: 'x' }],
    bad: [{ a: 'x', q: 1 }],
    at: '[0].q',
    merge: `[a="x"].q: ${undeclared}`,
  },
  itemsOfItems: {
    schema: list(list(known)),
    good: [[{ a: 'x' }]],
    bad: [[{ q: 1 }]],
    at: '[0][0].q',
    merge: `[0][0].q: ${undeclared}`,
  },
  values: {
    schema: map(known),
    good: { k: { a: 'x' } },
    bad: { k: { q: 1 } },
    at: '.k.q',
    merge: `.k.q: ${undeclared}`,
  },
  itemsOfValues: {
    schema: map(list(known)),
    good: { k: [{ a: 'x' }] },
    bad: { k: [{ q: 1 }] },
    at: '.k[0].q',
    merge: `.k[0].q: ${undeclared}`,
  },
  valuesOfItems: {
    schema: list(map(known)),
    good: [{ k: { a: 'x' } }],
    bad: [{ k: { q: 1 } }],
    at: '[0].k.q',
    merge: `[0].k.q: ${undeclared}`,
  },
  embeddedItems: {
    schema: list(embedded),
    good: [named],
    bad: [{ ...named, q: 1 }],
    at: '[0].q',
    merge: `[0].q: ${undeclared}`,
  },
  metadataOfItems: {
    schema: list(embedded),
    good: [named],
    bad: [{ ...named, metadata: { q: 1 } }],
    at: '[0].metadata.q',
    merge: `[0].metadata.q: ${undeclared}`,
  },
  keptWithItems: {
    schema: { type: 'object', ...kept, properties: { l: list(known) } },
    good: { l: [{ a: 'x' }], m: 1 },
    bad: { l: [{ q: 1 }] },
    at: '.l[0].q',
    merge: `.l[0].q: ${undeclared}`,
  },
  // An apply does not know a type for unknown fields that the schema keeps, and accepts them unchanged.
  keptItems: { schema: { ...kept, items: known }, good: [{ a: 'x' }], bad: [{ a: 'x' }, { q: 1 }], at: '[1].q' },
  keptMembers: {
    schema: { ...kept, properties: { p: known } },
    good: { p: {}, m: 1 },
    bad: { p: { q: 1 } },
    at: '.p.q',
  },
  keptValues: {
    schema: { ...kept, additionalProperties: known },
    good: { k: { a: 'x' } },
    bad: { k: { q: 1 } },
    at: '.k.q',
  },
  keptItemsOfItems: {
    schema: list({ ...kept, items: known }),
    good: [[{ a: 'x' }]],
    bad: [[{ q: 1 }]],
    at: '[0][0].q',
  },
  anyValues: { schema: map(true), good: { k: 1 }, bad: { k: { q: 1 } }, at: '.k.q' },
};

describe('fields of a custom resource that its schema does not know', function () {
  this.timeout(30_000);
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  before(async () => {
    const properties = Object.fromEntries(Object.entries(SHAPES).map(([name, { schema }]) => [name, schema]));
    const schema = { openAPIV3Schema: { type: 'object', properties } };
    const { status, text } = await replica.call('POST', DEFINITIONS, {
      body: {
        apiVersion: 'apiextensions.orch.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${GROUP}` },
        spec: {
          group: GROUP,
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
    });
    assert.equal(status, 201, text);
    while ((await replica.call('GET', THINGS)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await send('POST', 'there', {})).status, 201);
  });

  const WRITES = { POST: 'application/json', PUT: 'application/json', PATCH: 'application/apply-patch+yaml' } as const;

  const send = (method: keyof typeof WRITES, name: string, fields: JsonObject, validation = 'Strict') => {
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name }, ...fields };
    const query = `?fieldManager=m&fieldValidation=${validation}`;
    const path = method === 'POST' ? THINGS : `${THINGS}/${name}`;
    return replica.call(method, path + query, { body, headers: { 'Content-Type': WRITES[method] } });
  };

  for (const [name, { schema, good, bad, at, merge }] of Object.entries(SHAPES)) {
    const complaint = `unknown field "${name}${at}"`;
    const strict = `Thing in version "v1" cannot be handled as a Thing: strict decoding error: ${complaint}`;
    const warning = `299 - ${JSON.stringify(complaint)}`;

    it(`are detected in every write below ${JSON.stringify(schema)}`, async () => {
      const there = await replica.call('GET', `${THINGS}/there`);
      const { resourceVersion } = there.json.metadata;
      for (const method of ['POST', 'PUT'] as const) {
        const refused = await send(method, method === 'POST' ? 'new' : 'there', { [name]: bad });
        assert.deepEqual([refused.status, refused.json.message], [400, strict], method);
      }
      const applied = merge === undefined ? strict : `failed to create typed patch object: .${name}${merge}`;
      for (const target of ['new', 'there']) {
        const refused = await send('PATCH', target, { [name]: bad });
        assert.deepEqual([refused.status, refused.json.message], [400, applied], target);
        const warned = await send('PATCH', `${name.toLowerCase()}-${target}`, { [name]: bad }, 'Warn');
        const ignored = await send('PATCH', `${name.toLowerCase()}-${target}`, { [name]: bad }, 'Ignore');
        assert.equal(warned.status, merge === undefined ? 201 : 400);
        assert.equal(warned.headers['warning'], merge === undefined ? warning : undefined);
        assert.equal(ignored.status, merge === undefined ? 200 : 400);
        assert.equal(ignored.headers['warning'], undefined);
      }
      assert.equal((await replica.call('GET', `${THINGS}/new`)).status, 404);
      const after = await replica.call('GET', `${THINGS}/there`);
      assert.equal(after.json.metadata.resourceVersion, resourceVersion);
    });

    it(`are not reported if the whole value is known below ${JSON.stringify(schema)}`, async () => {
      const taken = await send('PATCH', `good-${name.toLowerCase()}`, { [name]: good });
      assert.deepEqual([taken.status, taken.headers['warning']], [201, undefined], taken.text);
      // The existing object contains only fields that its schema contains.
      const again = await send('PATCH', `good-${name.toLowerCase()}`, { [name]: good });
      assert.deepEqual([again.status, again.headers['warning']], [200, undefined], again.text);
    });
  }
});
