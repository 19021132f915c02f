import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Definition, Section } from './model.ts';
import type { OpenApi } from './openapi.ts';
import { unpack } from './pack.ts';
import type { PublishedDocument } from './published-document.ts';
import { documentsByDefault } from './testing/served-by-default.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

type Document = Record<string, Record<string, JsonObject>>;

async function read(document: PublishedDocument): Promise<Document> {
  return JSON.parse((await unpack((await document.packed('json')).gzip)).toString()) as Document;
}

function* references(value: JsonValue): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* references(member as JsonValue);
  }
}

function* operations(document: Document): Generator<readonly [path: string, method: string, operation: JsonObject]> {
  for (const [path, item] of Object.entries(document['paths']!)) {
    for (const [method, operation] of Object.entries(item)) {
      if (METHODS.has(method)) yield [path, method, operation as JsonObject];
    }
  }
}

function named(list: JsonValue | undefined): string[] {
  return ((list ?? []) as JsonObject[]).map((parameter) => `${parameter['in']} ${parameter['name']}`);
}

/** An operation in both forms: its texts, and its parameters with those of the path. */
function summary(document: Document, path: string, operation: JsonObject): unknown {
  const parameters = [...named(operation['parameters']), ...named(document['paths']![path]!['parameters'])];
  return {
    id: operation['operationId'],
    tags: operation['tags'],
    parameters: parameters.filter((name) => name !== 'body body').sort(),
    body: 'requestBody' in operation || parameters.includes('body body'),
    responses: Object.keys(operation['responses'] as JsonObject),
    marks: Object.fromEntries(Object.entries(operation).filter(([name]) => name.startsWith('x-'))),
  };
}

function definition(name: string): Definition {
  return { name, references: [], schema: () => ({ type: 'object' }) };
}

async function all(documents: OpenApi): Promise<Document[]> {
  return Promise.all(documents.keys.map(async (key) => read((await documents.v3(key))!)));
}

for (const profile of ['orch', 'kubernetes'] as const) {
  describe(`published OpenAPI documents (${profile})`, () => {
    const documents = documentsByDefault(profile);
    let v2: Document;
    let v3: Document[];
    before(async () => {
      v2 = await read(await documents.v2());
      v3 = await all(documents);
    });

    it('contain a schema for every reference, and no other schemas', () => {
      const check = (schemas: Record<string, unknown>, prefix: string, document: Document): void => {
        const used = new Set([...references(document as JsonObject)].map((text) => text.slice(prefix.length)));
        assert.deepEqual([...used].sort(), Object.keys(schemas).sort());
      };
      check(v2['definitions']!, '#/definitions/', v2);
      for (const document of v3) {
        check(document['components']!['schemas'] ?? {}, '#/components/schemas/', document);
      }
    });

    it('declare every parameter of a path once', () => {
      for (const document of [v2, ...v3]) {
        for (const [path, method, operation] of operations(document)) {
          const names = [...named(operation['parameters']), ...named(document['paths']![path]!['parameters'])];
          const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
          const found = names.filter((name) => name.startsWith('path '));
          assert.deepEqual(found.sort(), wanted.sort(), `${method} ${path}`);
          assert.equal(new Set(names).size, names.length, `${method} ${path}`);
        }
      }
    });

    it('have a different ID for every operation', () => {
      const ids = [...operations(v2)].map(([, , operation]) => operation['operationId']);
      assert.ok(ids.length > 500);
      assert.equal(new Set(ids).size, ids.length);
    });

    it('contain the same operations and schemas in v2 and v3', () => {
      for (const document of v3) {
        for (const [path, method, operation] of operations(document)) {
          const other = v2['paths']![path]?.[method] as JsonObject;
          assert.deepEqual(summary(v2, path, other), summary(document, path, operation), `${method} ${path}`);
        }
        for (const [name, schema] of Object.entries(document['components']!['schemas'] ?? {})) {
          const other = v2['definitions']![name]!;
          const keys = (from: JsonValue | undefined): string[] => Object.keys((from as JsonObject)['properties'] ?? {});
          assert.deepEqual(keys(other), keys(schema), name);
          assert.deepEqual(other['required'], (schema as JsonObject)['required'], name);
        }
      }
    });

    it('contain equal schemas for the same name', () => {
      const seen = new Map<string, JsonValue>();
      for (const document of v3) {
        for (const [name, schema] of Object.entries(document['components']!['schemas'] ?? {})) {
          assert.deepEqual(schema, seen.get(name) ?? schema, name);
          seen.set(name, schema as JsonValue);
        }
      }
    });
  });
}

describe('OpenAPI documents', () => {
  const section = (id: string) => ({
    key: 'apis/example.com/v1',
    paths: () => new Map([['/apis/example.com/v1/', { get: { id, tag: 't', parameters: [], responses: {} } }]]),
  });

  it('are the same on every replica', async () => {
    const [one, other] = [documentsByDefault(), documentsByDefault()];
    assert.equal((await one.v2()).hash, (await other.v2()).hash);
    assert.equal((await one.v3('apis/apps/v1'))?.hash, (await other.v3('apis/apps/v1'))?.hash);
  });

  it('are created once', async () => {
    const documents = documentsByDefault();
    assert.equal(await documents.v2(), await documents.v2());
    assert.equal(await documents.v3('api/v1'), await documents.v3('api/v1'));
  });

  it('are created again if their section changes', async () => {
    const documents = documentsByDefault();
    const key = 'apis/example.com/v1';
    const [v2, apps] = [await documents.v2(), await documents.v3('apis/apps/v1')];
    assert.equal(documents.v3(key), undefined);

    documents.set(section('first'));
    const first = await documents.v3(key);
    const more = await documents.v2();
    assert.ok(documents.keys.includes(key));
    assert.notEqual(more.hash, v2.hash);
    assert.equal(await documents.v3('apis/apps/v1'), apps);

    documents.set(section('second'));
    assert.notEqual((await documents.v3(key))?.hash, first?.hash);

    documents.delete(key);
    assert.equal(documents.v3(key), undefined);
    assert.equal((await documents.v2()).hash, v2.hash);
  });

  describe('of all groups, with custom kinds,', () => {
    const own: Definition = { ...definition('com.example.v1.Widget'), custom: true };
    const shared = definition('io.orch.api.core.v1.Pod');
    let asked: string[] = [];
    const defined = (group: string, id = group): Section => ({
      key: `apis/${group}/v1`,
      paths: () => new Map(),
      kinds: [
        {
          hash: async () => `${group} ${id}`,
          paths() {
            asked.push(group);
            const responses = { 200: group === 'a.example.com' ? own : shared };
            return new Map([[`/apis/${group}/v1/`, { get: { id, tag: 't', parameters: [], responses } }]]);
          },
        },
      ],
    });

    it('create only the changed parts again', async () => {
      const documents = documentsByDefault();
      for (const group of ['a.example.com', 'b.example.com']) documents.set(defined(group));
      for (const encoding of ['json', 'protobuf'] as const) await (await documents.v2()).packed(encoding);
      asked = [];
      documents.set(defined('b.example.com', 'other'));
      const document = await documents.v2();
      const { paths, definitions } = await read(document);
      await document.packed('protobuf');
      assert.deepEqual([...new Set(asked)], ['b.example.com']);
      assert.equal((paths!['/apis/b.example.com/v1/']!['get'] as JsonObject)['operationId'], 'other');
      assert.ok('/apis/a.example.com/v1/' in paths!);
      assert.ok(own.name in definitions!);
      documents.delete('apis/a.example.com/v1');
      const less = await read(await documents.v2());
      assert.ok(!('/apis/a.example.com/v1/' in less['paths']!) && !(own.name in less['definitions']!));
    });

    it('contain definitions of built-in kinds only once', async () => {
      const documents = documentsByDefault();
      const [, builtIn] = Object.entries((await read(await documents.v2()))['definitions']!).find(
        ([name]) => name === shared.name,
      )!;
      documents.set(defined('b.example.com'));
      const text = (await unpack((await (await documents.v2()).packed('json')).gzip)).toString();
      assert.equal(text.split(`${JSON.stringify(shared.name)}:{`).length, 2);
      assert.deepEqual(JSON.parse(text).definitions[shared.name], builtIn);
    });

    it('are equal for any order of changes', async () => {
      const groups = ['a.example.com', 'b.example.com', 'c.example.com'];
      const [one, other] = [documentsByDefault(), documentsByDefault()];
      for (const group of groups) one.set(defined(group));
      for (const group of groups.toReversed()) other.set(defined(group));
      assert.equal((await one.v2()).hash, (await other.v2()).hash);
    });
  });

  it('of groups without v3 are only in v2', async () => {
    const documents = documentsByDefault();
    assert.deepEqual(
      documents.keys.filter((key) => key.includes('apiregistration')),
      [],
    );
    const { paths } = await read(await documents.v2());
    assert.ok(Object.keys(paths!).some((path) => path.includes('apiregistration')));
  });
});
