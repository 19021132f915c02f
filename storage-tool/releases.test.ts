import assert from 'node:assert/strict';
import { testNaming } from '#server/testing/replica.ts';
import { storageTests } from './testing/storage-tests.ts';

describe('orch-storage releases', function () {
  this.timeout(120_000);
  const { tool, put } = storageTests();

  const metadata = { name: 'one', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };
  const stored = (group: string, version: string, body: object) => () =>
    JSON.stringify({ apiVersion: testNaming.apiVersion(group, version), metadata, ...body });
  const pod = (spec: object) => stored('', 'v1', { kind: 'Pod', spec });
  const containers = [{ name: 'c', image: 'i' }];
  const schema = (openAPIV3Schema: object) =>
    stored('apiextensions', 'v1', {
      kind: 'CustomResourceDefinition',
      spec: { versions: [{ schema: { openAPIV3Schema } }] },
    });

  const validations = `${testNaming.extensionPrefix}validations`;
  const cases: readonly (readonly [about: string, key: string, value: () => string, lines: readonly string[]])[] = [
    ['nothing that came later', 'core/pods/default/one', pod({ containers, nodeName: 'n' }), []],
    [
      'fields in lists and outside of them',
      'core/pods/default/one',
      pod({
        initContainers: [{ ...containers[0], restartPolicy: 'Always' }],
        containers,
        schedulingGates: [{ name: 'g' }],
      }),
      ['1.29 and later field spec.initContainers[].restartPolicy', '1.27 and later field spec.schedulingGates'],
    ],
    [
      'a value that came after its field',
      'batch/jobs/default/one',
      stored('batch', 'v1', { kind: 'Job', spec: { podFailurePolicy: { rules: [{ action: 'FailIndex' }] } } }),
      ['1.28 and later value FailIndex of spec.podFailurePolicy.rules[].action'],
    ],
    [
      'a kind, and no field that came with it',
      'networking/ipaddresses/one',
      stored('networking', 'v1', { kind: 'IPAddress', spec: { parentRef: { resource: 'services', name: 'a' } } }),
      ['1.33 and later kind IPAddress'],
    ],
    [
      'a field deep in a schema, described as in any depth',
      'apiextensions/customresourcedefinitions/one',
      schema({
        properties: {
          a: { items: { properties: { b: { [validations]: [{ rule: 'true', reason: 'FieldValueInvalid' }] } } } },
        },
      }),
      [`1.28 and later field spec.versions[].schema.openAPIV3Schema..${validations}[].reason`],
    ],
  ];
  for (const [about, key, value, lines] of cases)
    it(`finds ${about}`, async () => {
      await put(key, value);
      const { text } = await tool('releases', '-o', 'json');
      const { needs } = JSON.parse(text) as { needs: { since: string; last: string; part: string; example: string }[] };
      const own = needs.filter(({ example }) => example === `/registry/${key}`);
      assert.deepEqual(
        own.map(({ since, last, part }) => `${since} ${last === '' ? 'and later' : `to ${last}`} ${part}`),
        lines,
      );
    });

  it('lists what one release lacks', async () => {
    await put('core/pods/default/one', pod({ containers, schedulingGates: [{ name: 'g' }] }));
    const lacks = await tool('releases', '1.25');
    assert.equal(lacks.code, 1);
    assert.match(
      lacks.text,
      /^1\.27 and later +core\/pods +field spec\.schedulingGates +1 +\/registry\/core\/pods\/default\/one$/m,
    );
    const has = await tool('releases', '1.27');
    assert.equal(has.code, 0);
    assert.match(has.text, /^\d+ objects, 0 parts that release 1\.27 does not have, 0 objects not read\n$/);
    const none = await tool('releases', '2.0');
    assert.equal(none.code, 2);
    assert.match(none.errors, /releases are 1\.25 to 1\.37, and not 2\.0/);
  });

  it('lists objects that it cannot read', async () => {
    await put('core/pods/default/one', () => '[]');
    const { code, text } = await tool('releases');
    assert.equal(code, 1);
    assert.match(text, /^\/registry\/core\/pods\/default\/one: it is no object$/m);
  });
});
