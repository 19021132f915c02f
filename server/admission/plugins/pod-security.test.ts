import assert from 'node:assert/strict';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { AdmissionMetrics } from '../admission-metrics.ts';
import { naming, podWith, surroundings, trying, tryPlugin } from '../testing/try-plugin.ts';
import { podSecurity } from './pod-security.ts';

const key = (name: string) => naming.key(`pod-security/${name}`);
const namespace = (labels: Record<string, string>, name = 'ns') => ({
  metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([mode, value]) => [key(mode), value])) },
});
const within = (labels: Record<string, string>, more: object = {}) =>
  trying(podSecurity, { objects: { '/namespaces': [namespace(labels)], ...more } });
const hostPod = podWith({ hostNetwork: true });
const detail = 'PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
const deployment = { metadata: { name: 'd' }, spec: { template: hostPod } };
const exempting = (exemptions: object, defaults: object = {}) => ({
  apiVersion: naming.apiVersion('pod-security.admission.config', 'v1'),
  kind: 'PodSecurityConfiguration',
  defaults,
  exemptions,
});
const apps = { group: 'apps', resource: 'deployments' };

describe('PodSecurity', () => {
  it('refuses, warns and audits as the labels of the namespace say', async () => {
    assert.deepEqual(await pick(within({ enforce: 'baseline' })({ object: hostPod })), {
      refused: `violates ${detail}`,
      warnings: [],
      annotations: { [key('enforce-policy')]: 'baseline:latest' },
    });
    assert.deepEqual(await pick(within({ warn: 'baseline', audit: 'baseline' })({ object: hostPod })), {
      refused: '',
      warnings: [`would violate ${detail}`],
      annotations: {
        [key('audit-violations')]: `would violate ${detail}`,
        [key('enforce-policy')]: 'privileged:latest',
      },
    });
    assert.deepEqual(await pick(within({})({ object: hostPod })), {
      refused: '',
      warnings: [],
      annotations: { [key('enforce-policy')]: 'privileged:latest' },
    });
  });

  it('only warns about pod templates', async () => {
    const attempt = within({ enforce: 'baseline', warn: 'baseline' });
    assert.deepEqual((await attempt({ ...apps, object: deployment })).warnings, [`would violate ${detail}`]);
    assert.equal((await attempt({ ...apps, object: deployment })).refused, '');
    assert.deepEqual((await within({ enforce: 'baseline' })({ ...apps, object: deployment })).warnings, []);
  });

  it('evaluates only updates that change relevant fields', async () => {
    const attempt = within({ enforce: 'baseline' });
    const update = (object: object) => attempt({ operation: 'UPDATE', object, oldObject: hostPod });
    assert.equal((await update(podWith({ hostNetwork: true, activeDeadlineSeconds: 5 }))).refused, '');
    const another = { hostNetwork: true, containers: [{ name: 'c', image: 'other' }] };
    assert.equal((await update(podWith(another))).refused, `violates ${detail}`);
  });

  it('enforces the strictest level if the enforce label is invalid', async () => {
    const { refused, annotations } = await within({ enforce: 'nonsense' })({ object: hostPod });
    assert.match(refused, /^violates PodSecurity "restricted:latest"/);
    assert.match(annotations[key('error')]!, /must be one of privileged, baseline, restricted$/);
  });

  it('does not warn if the warn label is invalid', async () => {
    const { refused, warnings } = await within({ warn: 'nonsense', audit: 'nonsense' })({ object: hostPod });
    assert.deepEqual([refused, warnings], ['', []]);
  });

  it('counts evaluations and exemptions', async () => {
    const set = new MetricSet();
    const around = {
      ...surroundings({
        objects: {
          '/namespaces': [namespace({ enforce: 'baseline', 'enforce-version': 'v1.99', warn: 'restricted' })],
        },
        configuration: exempting({ namespaces: ['free'] }),
      }),
      metrics: new AdmissionMetrics(set),
    };
    const plugin = podSecurity(around);
    await tryPlugin(plugin, { object: podWith() });
    await tryPlugin(plugin, { object: hostPod });
    await tryPlugin(plugin, { object: hostPod, namespace: 'free' });
    await tryPlugin(plugin, { ...apps, object: deployment });
    const counted = set
      .values()
      .filter(({ family }) => family.name.startsWith('pod_security_'))
      .flatMap(({ series }) => series.map(([labels, numbers]) => [...labels, ...numbers].join(' ')));
    assert.deepEqual(counted.sort(), [
      'allow enforce baseline future create pod  1',
      'create pod  1',
      'deny enforce baseline future create pod  1',
      'deny warn restricted latest create controller  1',
      'deny warn restricted latest create pod  1',
    ]);
  });

  describe('with a configuration', () => {
    const attempt = trying(podSecurity, {
      objects: { '/namespaces': [namespace({})] },
      configuration: exempting(
        { usernames: ['trusted'], runtimeClasses: ['vm'], namespaces: ['free'] },
        { enforce: 'baseline', 'enforce-version': 'v1.24' },
      ),
    });
    const cases: readonly [string, Parameters<typeof attempt>[0], string, string | undefined][] = [
      [
        'enforces the default level',
        {},
        'violates PodSecurity "baseline:v1.24": host namespaces (hostNetwork=true)',
        undefined,
      ],
      ['exempts users', { user: { name: 'trusted' } }, '', 'user'],
      ['exempts namespaces', { namespace: 'free' }, '', 'namespace'],
      [
        'exempts runtime classes',
        { object: podWith({ hostNetwork: true, runtimeClassName: 'vm' }) },
        '',
        'runtimeClass',
      ],
    ];
    for (const [what, trial, refused, exempt] of cases) {
      it(what, async () => {
        const outcome = await attempt({ object: hostPod, ...trial });
        assert.deepEqual([outcome.refused, outcome.annotations[key('exempt')]], [refused, exempt]);
      });
    }

    it('refuses unknown fields and values in its configuration', () => {
      const start = (configuration: object) => () => podSecurity(surroundings({ configuration }));
      assert.throws(start({ ...exempting({}), default: {} }), /: default is not known/);
      assert.throws(start(exempting({}, { enforced: 'baseline' })), /defaults.enforced is not known/);
      assert.throws(start(exempting({ users: [] })), /exemptions.users is not one of usernames, /);
      assert.throws(start(exempting({}, { warn: 'low' })), /defaults.warn must be one of/);
    });

    it('warns that labels of an exempt namespace have no effect', async () => {
      const object = namespace({ warn: 'restricted' }, 'free');
      const { warnings } = await attempt({ resource: 'namespaces', object });
      assert.deepEqual(warnings, [
        'namespace "free" is exempt from Pod Security, and the policy (enforce=baseline:v1.24, warn=restricted:latest) will be ignored',
      ]);
    });
  });

  it('warns about existing pods that violate a stricter level', async () => {
    const pods = ['b', 'c', 'd'].map((name) => ({ ...hostPod, metadata: { name, namespace: 'ns' } }));
    const port = podWith({ containers: [{ name: 'c', ports: [{ hostPort: 1 }] }] }, { name: 'a' });
    const attempt = within({}, { '/pods': [...pods, port, podWith({}, { name: 'fine' })] });
    const object = namespace({ enforce: 'baseline' });
    const { warnings } = await attempt({
      operation: 'UPDATE',
      resource: 'namespaces',
      object,
      oldObject: namespace({}),
    });
    assert.deepEqual(warnings, [
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'a: hostPort',
      'b (and 2 other pods): host namespaces',
    ]);
  });

  it('refuses invalid labels, unless they did not change', async () => {
    const attempt = within({});
    const object = namespace({ 'enforce-version': 'v2' });
    const about = { resource: 'namespaces', object } as const;
    const refused = `Namespace "ns" is invalid: metadata.labels[${key('enforce-version')}]: Invalid value: "v2": must be "latest" or "v1.x"`;
    assert.equal((await attempt(about)).refused, refused);
    assert.equal((await attempt({ ...about, operation: 'UPDATE', oldObject: namespace({}) })).refused, refused);
    assert.equal((await attempt({ ...about, operation: 'UPDATE', oldObject: object })).refused, '');
  });

  async function pick(outcome: ReturnType<ReturnType<typeof within>>): Promise<object> {
    const { refused, warnings, annotations } = await outcome;
    return { refused, warnings, annotations };
  }
});
