import assert from 'node:assert/strict';
import { answerJson, startTlsServer, type TestServer } from '#server/authentication/testing/tls-server.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestAnswer, TestReplica } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const GROUP = 'numbers.example';
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;

/** The notations of numbers that clients send, and the value that a program reads from the answer. */
const SPELLINGS: readonly (readonly [spelt: string, written: string])[] = [
  ['1.0', '1'],
  ['1e3', '1000'],
  ['1e+06', '1000000'],
  ['-0.0', '0'],
  ['9007199254740993', '9007199254740993'],
];
const FRACTIONS: typeof SPELLINGS = [...SPELLINGS, ['1.10', '1.1'], ['1e21', '1e+21'], ['2.50e-9', '2.5e-9']];

describe('numbers in custom resources', function () {
  this.timeout(60_000);
  let replica: TestReplica;
  let etcd: EtcdProcess;
  let store: DataStore;
  let converter: TestServer;

  aroundAll((...started) => ([replica, etcd] = started));

  before(async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    // The answer of a webhook has the notation of the webhook's own JSON library.
    converter = await startTlsServer((_, response, body) => {
      const { kind, apiVersion, request } = JSON.parse(body);
      const objects = request.objects.map((object: object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
      const answer = {
        kind,
        apiVersion,
        response: { uid: request.uid, result: { status: 'Success' }, convertedObjects: objects },
      };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answer).replaceAll('"whole":7', '"whole":7.0').replaceAll('"any":7', '"any":7e0'));
    });
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-orch-preserve-unknown-fields': true,
          properties: {
            whole: { type: 'integer', format: 'int64' },
            number: { type: 'number' },
            either: { 'x-orch-int-or-string': true },
            filled: { type: 'integer', default: '@' },
            inner: { type: 'object', default: {}, properties: { filled: { type: 'number', default: '@@' } } },
            set: { type: 'array', 'x-orch-list-type': 'set', items: { 'x-orch-int-or-string': true } },
            list: { type: 'array', items: { type: 'number' } },
          },
        },
        status: { type: 'object', properties: { seen: { type: 'integer' } } },
      },
    };
    const version = (name: string, storage: boolean) => ({
      ...{ name, served: true, storage, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    });
    const define = async (plural: string, kind: string, spec: object) => {
      const object = {
        ...{ apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition' },
        metadata: { name: `${plural}.${GROUP}` },
        spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, ...spec },
      };
      const raw = JSON.stringify(object).replaceAll('"@@"', '2.50').replaceAll('"@"', '4.0');
      const answer = await replica.call('POST', DEFINITIONS, { raw });
      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.text, /"default":4[,}]/);
      const path = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
      while ((await replica.call('GET', path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await define('things', 'Thing', { versions: [version('v1', true)] });
    const clientConfig = { url: `${converter.url}/`, caBundle: Buffer.from(converter.ca).toString('base64') };
    await define('changed', 'Changed', {
      versions: [version('v1', false), version('v2', true)],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    });
  });

  after(async () => {
    await store.close();
    await converter.stop();
  });

  const thing = (name: string, spec: string, more = '', kind = 'Thing') =>
    `{"apiVersion":"${GROUP}/v1","kind":"${kind}","metadata":{"name":"${name}"${more}},"spec":${spec}}`;
  let count = 0;
  const send = async (method: string, name: string, raw: string, type = 'application/json', query = '') => {
    const path = method === 'POST' ? THINGS : `${THINGS}/${name}${query}`;
    return replica.call(method, path, { raw, headers: { 'Content-Type': type } });
  };
  const put = async (name: string, spec: string, query = '') => {
    const { resourceVersion } = (await replica.call('GET', `${THINGS}/${name}`)).json.metadata;
    return send('PUT', name, thing(name, spec, `,"resourceVersion":"${resourceVersion}"`), undefined, query);
  };
  const made = async (spec: string): Promise<string> => {
    const name = `thing-${count++}`;
    const answer = await send('POST', name, thing(name, spec));
    assert.equal(answer.status, 201, answer.text);
    return name;
  };
  /** The text of a field in an answer, in its notation. */
  const spelling = ({ text }: Pick<TestAnswer, 'text'>, field: string): string | undefined =>
    new RegExp(`"${field}":([^,}\\]]*)`).exec(text.replace(/"managedFields":.*?\}\]/, ''))?.[1];

  type Way = (name: string, field: string, spelt: string) => Promise<TestAnswer>;
  const ways: readonly (readonly [what: string, way: Way])[] = [
    [
      'a create',
      async (_, field, spelt) => {
        const name = `thing-${count++}`;
        return send('POST', name, thing(name, `{"${field}":${spelt}}`));
      },
    ],
    [
      'a create in YAML',
      async (_, field, spelt) => {
        const name = `thing-${count++}`;
        const text = `apiVersion: ${GROUP}/v1\nkind: Thing\nmetadata: {name: ${name}}\nspec: {${field}: ${spelt}}\n`;
        return send('POST', name, text, 'application/yaml');
      },
    ],
    ['a dry run', (name, field, spelt) => put(name, `{"${field}":${spelt}}`, '?dryRun=All')],
    ['an update', (name, field, spelt) => put(name, `{"${field}":${spelt}}`)],
    [
      'a merge patch',
      (name, field, spelt) => send('PATCH', name, `{"spec":{"${field}":${spelt}}}`, 'application/merge-patch+json'),
    ],
    [
      'a JSON patch',
      (name, field, spelt) =>
        send('PATCH', name, `[{"op":"add","path":"/spec/${field}","value":${spelt}}]`, 'application/json-patch+json'),
    ],
    [
      'an applied configuration',
      (name, field, spelt) =>
        send(
          'PATCH',
          name,
          thing(name, `{"${field}":${spelt}}`),
          'application/apply-patch+yaml',
          '?fieldManager=m&force=true',
        ),
    ],
  ];
  const fields: readonly (readonly [field: string, spellings: typeof SPELLINGS])[] = [
    ['whole', SPELLINGS],
    ['number', FRACTIONS],
    ['either', SPELLINGS],
    ['unknown', FRACTIONS],
  ];
  for (const [what, way] of ways)
    for (const [field, spellings] of fields)
      it(`are normalized after ${what}: ${field}`, async () => {
        for (const [spelt, written] of spellings) {
          const name = await made('{}');
          const answer = await way(name, field, spelt);
          assert.ok(answer.status < 300, answer.text);
          assert.equal(spelling(answer, field), written, `${spelt}: ${answer.text}`);
          if (answer.json.metadata.name !== name || what === 'a dry run') continue;
          assert.equal(spelling(await replica.call('GET', `${THINGS}/${name}`), field), written);
        }
      });

  it('are normalized if they come from the schema', async () => {
    const name = await made('{}');
    const read = await replica.call('GET', `${THINGS}/${name}`);
    assert.match(read.text, /"filled":4,"inner":\{"filled":2\.5\}/);
  });

  const lists: readonly (readonly [what: string, spec: string, status: number, stored: string])[] = [
    ['equal numbers in a list', '{"list":[1,1.0,1e0]}', 201, '"list":[1,1,1]'],
    ['equal numbers in a set', '{"set":[1,1.0]}', 422, 'spec.set[1]: Duplicate value: 1'],
    ['a number and a text in a set', '{"set":[1,"1.0"]}', 201, '"set":[1,"1.0"]'],
    ['large integers that a double cannot distinguish', '{"set":[9007199254740993,9007199254740992]}', 201, '993,'],
    [
      'one of these integers as a fraction',
      '{"set":[9007199254740993,9007199254740993.0]}',
      201,
      '993,9007199254740992]',
    ],
  ];
  for (const [what, spec, status, stored] of lists)
    it(`are compared by value in a set or map list: ${what}`, async () => {
      const name = `thing-${count++}`;
      const answer = await send('POST', name, thing(name, spec));
      assert.equal(answer.status, status, answer.text);
      assert.ok(answer.text.includes(stored), answer.text);
    });

  it('are equal in another spelling', async () => {
    const name = await made('{"whole":1000,"unknown":{"ratio":1.5}}');
    const before = (await replica.call('GET', `${THINGS}/${name}`)).text;
    for (const spec of ['{"whole":1e3,"unknown":{"ratio":1.50}}', '{"whole":1000.0,"unknown":{"ratio":15e-1}}']) {
      const answer = await put(name, spec);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, before);
    }
  });

  it('are normalized after a write to a subresource', async () => {
    const name = await made('{}');
    const path = `${THINGS}/${name}/status`;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const answer = await replica.call('PATCH', path, { raw: '{"status":{"seen":3.0}}', headers });
    assert.equal(spelling(answer, 'seen'), '3', answer.text);
  });

  describe('that were stored without normalization', () => {
    const spec =
      '{"big":9007199254740993,"either":1e3,"filled":4,"inner":{"filled":2.50},"list":[1.0,-0.0],"unknown":{"a":1e21},"whole":1.0}';
    const settled =
      '{"big":9007199254740993,"either":1000,"filled":4,"inner":{"filled":2.5},"list":[1,0],"unknown":{"a":1e+21},"whole":1}';
    const names = ['old-exact', 'old-plain'] as const;
    const told = (name: string) => (name === 'old-exact' ? settled : settled.replace('"big":9007199254740993,', ''));

    before(async () => {
      for (const name of names) {
        const answer = await send('POST', name, thing(name, told(name)));
        assert.equal(answer.status, 201, answer.text);
        const key = `/registry/${GROUP}/things/default/${name}`;
        const found = (await store.get(key))!;
        const old = found.value
          .toString()
          .replace(told(name), spec.slice(name === 'old-exact' ? 0 : 1).replace(/^"big":\d+,/, '{'));
        assert.notEqual(old, found.value.toString());
        await store.transact([{ key, revision: found.revision }], [{ key, value: Buffer.from(old) }]);
      }
    });

    for (const name of names) {
      it(`are read, listed and watched in normalized form: ${name}`, async () => {
        const path = `${THINGS}/${name}`;
        const read = await replica.call('GET', path);
        assert.ok(read.text.includes(told(name)), read.text);
        const { resourceVersion } = read.json.metadata;
        const select = `fieldSelector=metadata.name%3D${name}`;
        for (const query of [
          select,
          `${select}&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
          `${select}&limit=1`,
          `${select}&watch=1&timeoutSeconds=1`,
        ]) {
          const answer = await replica.call('GET', `${THINGS}?${query}`);
          assert.ok(answer.text.includes(told(name)), `${query}: ${answer.text}`);
        }
        const yaml = await replica.call('GET', path, { headers: { Accept: 'application/yaml' } });
        assert.match(yaml.text, /whole: 1\n/);
      });

      it(`are not changed by a write of the same value: ${name}`, async () => {
        const before = await replica.call('GET', `${THINGS}/${name}`);
        for (const now of [told(name), told(name).replace('"whole":1', '"whole":1.0')]) {
          const answer = await put(name, now);
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.text, before.text);
        }
        const patched = await send('PATCH', name, '{"spec":{"whole":1.0}}', 'application/merge-patch+json');
        assert.equal(patched.text, before.text);
      });

      it(`are stored in normalized form with the next change: ${name}`, async () => {
        const patched = await send('PATCH', name, '{"spec":{"more":2.0}}', 'application/merge-patch+json');
        assert.equal(patched.status, 200, patched.text);
        const value = (await store.get(`/registry/${GROUP}/things/default/${name}`))!.value.toString();
        assert.ok(value.includes(told(name).replace('"unknown"', '"more":2,"unknown"')), value);
      });
    }
  });

  it('are sent to webhooks and returned by them in normalized form', async () => {
    const configurations = '/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations';
    const patch = Buffer.from('[{"op":"add","path":"/spec/unknown","value":[1.0,1.10]}]').toString('base64');
    const patching = await startTlsServer((_, response, text) => {
      asked.push(text);
      const { apiVersion, kind, request } = JSON.parse(text);
      answerJson(response, {
        apiVersion,
        kind,
        response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch },
      });
    });
    const asked: string[] = [];
    const webhook = {
      name: 'numbers.example.com',
      clientConfig: { url: `${patching.url}/`, caBundle: Buffer.from(patching.ca).toString('base64') },
      rules: [{ apiGroups: [GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['things'] }],
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 20 },
    };
    const body = { metadata: { name: 'numbers' }, webhooks: [webhook] };
    assert.equal((await replica.call('POST', configurations, { body })).status, 201);
    try {
      let answer: TestAnswer;
      do {
        const name = `thing-${count++}`;
        answer = await send('POST', name, thing(name, '{"whole":1.0,"either":2e0}'));
        assert.equal(answer.status, 201, answer.text);
      } while (asked.length === 0);
      assert.match(asked[0]!, /"either":2,.*"whole":1[,}]/);
      assert.match(answer.text, /"unknown":\[1,1\.1\]/);
    } finally {
      assert.equal((await replica.call('DELETE', `${configurations}/numbers`)).status, 200);
      await patching.stop();
    }
  });

  it('are normalized after a conversion', async () => {
    const path = (version: string) => `/apis/${GROUP}/${version}/namespaces/default/changed`;
    const raw = thing('one', '{"whole":7,"any":7}', '', 'Changed');
    const made = await replica.call('POST', path('v1'), { raw });
    assert.equal(made.status, 201, made.text);
    const stored = (await store.get(`/registry/${GROUP}/changed/default/one`))!.value.toString();
    const reads = await Promise.all(['v1', 'v2'].map((version) => replica.call('GET', `${path(version)}/one`)));
    for (const text of [made.text, stored, ...reads.map((read) => read.text)])
      assert.match(text.replace(/"managedFields":.*?\}\]/, ''), /"any":7,.*"whole":7[,}]/);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patched = await replica.call('PATCH', `${path('v1')}/one`, { raw: '{"spec":{"any":7.0}}', headers });
    assert.equal(patched.json.metadata.resourceVersion, made.json.metadata.resourceVersion);
  });
});
