import assert from 'node:assert/strict';
import { startReplica, testNaming } from '#server/testing/replica.ts';
import { storageTests } from './testing/storage-tests.ts';
import type { Finding } from './verify.ts';

describe('orch-storage verify and stored versions', function () {
  this.timeout(120_000);
  const tests = storageTests();
  const { tool, put, textOf } = tests;

  it('verify finds no problem in objects that replicas store', async () => {
    const { code, text, errors } = await tool('verify');
    assert.equal(code, 0, text + errors);
    assert.match(text, /^\d+ objects, 0 findings, 0 repaired\n$/);
  });

  it('verify finds and names damaged objects, and repairs what can be derived', async () => {
    const one = 'core/configmaps/default/one';
    const map = await textOf(one);
    const service = await textOf('core/services/default/one');
    const { clusterIP, ports } = JSON.parse(service).spec;
    const { clusterIP: other } = JSON.parse(await textOf('core/services/default/two')).spec;
    const uid = JSON.parse(map).metadata.uid;
    const renamed = (name: string, id: string) => map.replaceAll('"name":"one"', `"name":"${name}"`).replace(uid, id);
    const planted: readonly [damage: string, key: string, change: (text: string) => string | undefined][] = [
      ['not-an-object', 'core/configmaps/default/bytes', () => '\u0000\u0001'],
      ['not-an-object', 'core/configmaps/default/half', () => map.slice(0, 90)],
      ['wrong-name', 'core/configmaps/default/moved', () => map.replace(uid, 'u-moved')],
      ['wrong-kind', 'core/configmaps/default/kind', () => renamed('kind', 'u-kind').replace('"ConfigMap"', '"Pod"')],
      ['no-uid', 'core/configmaps/default/nobody', () => renamed('nobody', '')],
      ['same-uid', 'core/configmaps/default/twin', () => renamed('twin', uid)],
      [
        'not-of-its-schema',
        'core/configmaps/default/misfit',
        () => renamed('misfit', 'u-misfit').replace('"data":{"a":"b"}', '"data":{"a":{"b":1}}'),
      ],
      [
        'no-such-namespace',
        'core/configmaps/nowhere/lost',
        () => renamed('lost', 'u-lost').replace('"namespace":"default"', '"namespace":"nowhere"'),
      ],
      [
        'owner-gone',
        'core/configmaps/default/orphan',
        () =>
          renamed('orphan', 'u-orphan').replace(
            '"uid":"u-orphan"',
            '"uid":"u-orphan","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"u-gone"}]',
          ),
      ],
      [
        'no-definition',
        'example.com/gadgets/default/one',
        () =>
          '{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"one","namespace":"default","uid":"u-g"}}',
      ],
      [
        'version-not-listed',
        'example.com/widgets/default/old',
        () =>
          '{"kind":"Widget","apiVersion":"example.com/v0","metadata":{"name":"old","namespace":"default","uid":"u-w"}}',
      ],
      ['claim-of-nobody', 'claims/cluster-ips/10.0.0.200', () => '{"namespace":"default","name":"gone","uid":"u"}'],
      ['service-without-claim', `claims/cluster-ips/${clusterIP}`, () => undefined],
      [
        'service-without-claim',
        `claims/node-ports/${ports[0].nodePort}`,
        () => '{"namespace":"x","name":"y","uid":"z"}',
      ],
      [
        'claimed-twice',
        'core/services/default/thief',
        () =>
          service
            .replaceAll('"name":"one"', '"name":"thief"')
            .replace(JSON.parse(service).metadata.uid, 'u-thief')
            .replaceAll(`"${clusterIP}"`, `"${other}"`)
            .replace(/"nodePort":\d+/, '"nodePort":0'),
      ],
    ];
    for (const [, key, change] of planted) await put(key, change);
    const found = await tool('verify', '-o', 'json');
    assert.equal(found.code, 1, found.errors);
    const { findings } = JSON.parse(found.text) as { findings: Finding[] };
    const where = new Map([
      [`claims/cluster-ips/${clusterIP}`, 'core/services/default/one'],
      [`claims/node-ports/${ports[0].nodePort}`, 'core/services/default/one'],
    ]);
    assert.deepEqual(
      findings.map(({ damage, key }) => `${damage} ${key}`).sort(),
      planted.map(([damage, key]) => `${damage} /registry/${where.get(key) ?? key}`).sort(),
    );
    assert.ok(findings.every(({ repaired }) => !repaired));
    const repaired = await tool('verify', '--repair', '-o', 'json');
    const mended = (JSON.parse(repaired.text) as { findings: Finding[] }).findings.filter(
      (finding) => finding.repaired,
    );
    assert.deepEqual(mended.map(({ damage }) => damage).sort(), [
      'claim-of-nobody',
      'service-without-claim',
      'service-without-claim',
    ]);
    const again = JSON.parse((await tool('verify', '-o', 'json')).text) as { findings: Finding[] };
    assert.equal(again.findings.length, findings.length - 3);
  });

  it('verify accepts objects of another release in a version that this release knows', async () => {
    const uid = 'u-capacity';
    const metadata = { name: 'one', namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
    const body = { kind: 'CSIStorageCapacity', metadata, storageClassName: 'fast', capacity: '1Gi' };
    const stored = (version: string) => () =>
      JSON.stringify({ apiVersion: testNaming.apiVersion('storage', version), ...body });
    await put('storage/csistoragecapacities/default/one', stored('v1beta1'));
    assert.match((await tool('verify')).text, /, 0 findings/);
    await put('storage/csistoragecapacities/default/one', stored('v7'));
    assert.match(
      (await tool('verify')).text,
      /^wrong-kind +\/registry\/storage\/csistoragecapacities\/default\/one +/m,
    );
  });

  it('migrate converts objects of another release to the current storage version', async () => {
    const metadata = { name: 'one', namespace: 'default', uid: 'u-v1', creationTimestamp: '2026-01-01T00:00:00Z' };
    const autoscaler = (apiVersion: string, spec: object) => () =>
      JSON.stringify({ kind: 'HorizontalPodAutoscaler', apiVersion, metadata, spec, status: {} });
    const scaleTargetRef = { kind: 'Deployment', name: 'd' };
    const key = '/registry/autoscaling/horizontalpodautoscalers/default/one';
    const v1 = testNaming.apiVersion('autoscaling', 'v1');
    await put(
      'autoscaling/horizontalpodautoscalers/default/one',
      autoscaler(v1, { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 }),
    );
    assert.equal(JSON.parse((await tool('migrate', '--dry-run', '-o', 'json')).text).written, 1);
    const { code, text } = await tool('migrate', '--rate=1000', '-o', 'json');
    assert.deepEqual([code, JSON.parse(text).written], [0, 1]);
    const { value } = (await tests.raw.get(key))!;
    const { apiVersion, spec } = JSON.parse(value.toString());
    assert.equal(apiVersion, testNaming.apiVersion('autoscaling', 'v2'));
    const target = { type: 'Utilization', averageUtilization: 70 };
    assert.deepEqual(spec.metrics, [{ type: 'Resource', resource: { name: 'cpu', target } }]);
    assert.equal(JSON.parse((await tool('migrate', '-o', 'json')).text).written, 0);
    assert.match((await tool('verify')).text, /, 0 findings/);
    const replica = await startReplica(tests.etcd.endpoint, `--encryption-provider-config=${tests.file}`);
    try {
      const at = `/apis/${v1}/namespaces/default/horizontalpodautoscalers/one`;
      const { json } = await replica.call('GET', at);
      assert.equal(json.spec.targetCPUUtilizationPercentage, 70);
      // An update without changes writes nothing: the object has the same stored form as with a server.
      await replica.call('PUT', at, { body: json });
      assert.deepEqual((await tests.raw.get(key))!.value, value);
    } finally {
      await replica.stop();
    }
    // `migrate` names an object that cannot be converted, and does not change it.
    await put('autoscaling/horizontalpodautoscalers/default/one', autoscaler(v1, { maxReplicas: 'three' }));
    const refused = await tool('migrate');
    assert.equal(refused.code, 1);
    assert.match(refused.text, /horizontalpodautoscalers\/default\/one: it cannot be converted: /);
  });
});
