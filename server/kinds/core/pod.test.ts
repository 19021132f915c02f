import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { Pod, PodSpec, PodStatus } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { pod as rules } from './pod.ts';

const naming = createNaming('orch');
const context: WriteContext = {
  naming,
  gates: createFeatureGates(),
  release: defaultRelease,
  user: undefined,
  dryRun: false,
  now: '2020-01-01T00:00:00Z',
  group: '',
  version: 'v1',
  warn: () => {},
};

function podOf(spec: Partial<PodSpec> = {}, status?: PodStatus): Pod {
  const pod: Pod = {
    metadata: { name: 'p', namespace: 'n', resourceVersion: '1' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    ...(status === undefined ? {} : { status }),
  };
  fillDefaults(sharedMessage('core.v1.Pod'), asJson(pod));
  rules.versions?.['v1']?.defaults?.(pod, context);
  return pod;
}

const paths = (errors: readonly { field: string }[] = []) => errors.map(({ field }) => field);

describe('a pod', () => {
  it('is created with phase Pending, and gets requests from its limits', () => {
    const pod = podOf({ containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' } } }] });
    pod.status = { phase: 'Running' };
    rules.prepareForCreate?.(pod, context);
    assert.deepEqual(pod.status, { phase: 'Pending', qosClass: 'Guaranteed' });
    assert.deepEqual(pod.spec?.containers?.[0]?.resources?.requests, { cpu: '1', memory: '1Gi' });
    assert.equal(pod.spec?.enableServiceLinks, true);
  });

  it('loses fields whose gates are disabled, unless the old pod has them', () => {
    const constraint = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 };
    const pod = podOf({ topologySpreadConstraints: [constraint] });
    rules.prepareForUpdate?.(pod, structuredClone(pod), context);
    assert.equal(pod.spec?.topologySpreadConstraints?.[0]?.minDomains, 2);
    rules.prepareForCreate?.(pod, context);
    assert.equal(pod.spec?.topologySpreadConstraints?.[0]?.minDomains, undefined);
  });

  it('copies seccomp profiles from annotations to fields', () => {
    const pod = podOf();
    pod.metadata.annotations = {
      [naming.key('seccomp.security.alpha/pod')]: 'runtime/default',
      [naming.key('container.seccomp.security.alpha/c')]: 'localhost/a',
    };
    rules.prepareForCreate?.(pod, context);
    assert.deepEqual(pod.spec?.securityContext, { seccompProfile: { type: 'RuntimeDefault' } });
    assert.deepEqual(pod.spec?.containers?.[0]?.securityContext, {
      seccompProfile: { type: 'Localhost', localhostProfile: 'a' },
    });
  });

  describe('update', () => {
    const cases: [title: string, old: Partial<PodSpec>, now: Partial<PodSpec>, errors: string[]][] = [
      ['can change images', {}, { containers: [{ name: 'c', image: 'j' }] }, []],
      ['cannot change other fields', {}, { hostPID: true, nodeName: 'n' }, ['spec']],
      [
        'cannot change the number of containers',
        {},
        { initContainers: [{ name: 'i', image: 'i' }] },
        ['spec.initContainers'],
      ],
      ['can shorten the deadline', { activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 5 }, []],
      [
        'cannot extend the deadline',
        { activeDeadlineSeconds: 5 },
        { activeDeadlineSeconds: 9 },
        ['spec.activeDeadlineSeconds'],
      ],
      ['cannot remove the deadline', { activeDeadlineSeconds: 5 }, {}, ['spec.activeDeadlineSeconds']],
      ['can add tolerations', {}, { tolerations: [{ operator: 'Exists' }] }, []],
      ['cannot remove tolerations', { tolerations: [{ operator: 'Exists' }] }, {}, ['spec.tolerations']],
      [
        'can change a negative grace period to 1',
        { terminationGracePeriodSeconds: -5 },
        { terminationGracePeriodSeconds: 1 },
        [],
      ],
      ['cannot change the grace period otherwise', {}, { terminationGracePeriodSeconds: 1 }, ['spec']],
    ];
    for (const [title, old, now, errors] of cases) {
      it(title, () => assert.deepEqual(paths(rules.validateUpdate?.(podOf(now), podOf(old), context)), errors));
    }
  });

  it('has the forbidden changes in the error', () => {
    const [error] = rules.validateUpdate?.(podOf({ nodeName: 'n' }), podOf(), context) ?? [];
    assert.match(error?.text ?? '', /^spec: Forbidden: pod updates may not .*\n- nodeName: unset\n\+ nodeName: "n"\n$/);
  });

  describe('grace period', () => {
    const cases: [spec: Partial<PodSpec>, phase: string, requested: number | undefined, seconds: number][] = [
      [{ nodeName: 'n' }, 'Running', undefined, 30],
      [{ nodeName: 'n' }, 'Running', 5, 5],
      [{ nodeName: 'n', terminationGracePeriodSeconds: -5 }, 'Running', undefined, 1],
      [{ nodeName: 'n' }, 'Failed', 5, 0],
      [{}, 'Pending', 5, 0],
    ];
    for (const [spec, phase, requested, seconds] of cases) {
      it(`is ${seconds} for ${phase} ${JSON.stringify(spec)} if ${requested} is requested`, () => {
        assert.equal(rules.gracePeriodSeconds?.(podOf(spec, { phase }), requested), seconds);
      });
    }
  });

  it('has podIP as the first of podIPs', () => {
    const addresses = (status: PodStatus) => {
      const { podIP, podIPs } = podOf({}, status).status ?? {};
      return [podIP, podIPs?.map(({ ip }) => ip)];
    };
    assert.deepEqual(addresses({ podIP: '1.1.1.1' }), ['1.1.1.1', ['1.1.1.1']]);
    assert.deepEqual(addresses({ podIP: '1.1.1.1', podIPs: [{ ip: '2.2.2.2' }] }), ['1.1.1.1', ['1.1.1.1']]);
    assert.deepEqual(addresses({ podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }), ['1.1.1.1', ['1.1.1.1', '::1']]);
  });

  it('validates updates of its status', () => {
    const { status } = rules.subresources ?? {};
    const ended: PodStatus = { containerStatuses: [statusOf({ terminated: { exitCode: 1 } })] };
    const running: PodStatus = { containerStatuses: [statusOf({ running: {} })] };
    const errors = (now: PodStatus, old: PodStatus, restartPolicy: string) =>
      paths(status?.validateUpdate?.(podOf({ restartPolicy }, now), podOf({ restartPolicy }, old), context));
    assert.deepEqual(errors(running, ended, 'Always'), []);
    assert.deepEqual(errors(running, ended, 'OnFailure'), []);
    assert.deepEqual(errors(running, ended, 'Never'), ['status.containerStatuses[0].state']);
    assert.deepEqual(errors({ nominatedNodeName: 'B' }, {}, 'Always'), ['status.nominatedNodeName']);
    assert.deepEqual(errors({ podIPs: [{ ip: '1.1.1.1' }, { ip: 'x' }] }, {}, 'Always'), [
      'status.podIPs[1]',
      'status.podIPs',
      'status.podIPs',
    ]);
    assert.deepEqual(errors({ conditions: [{ type: 'a b', status: 'True' }] }, {}, 'Always'), [
      'metadata.conditions[0].Type',
    ]);
    assert.deepEqual(errors({ podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] }, {}, 'Always'), [
      'status.podIPs',
      'status.podIPs[1]',
    ]);
  });

  it('accepts new ephemeral containers through their subresource, and cannot remove them', () => {
    const view = rules.subresources?.['ephemeralcontainers'];
    const old = podOf({ ephemeralContainers: [{ name: 'e', image: 'i' }] });
    const more = podOf({
      nodeName: 'x',
      ephemeralContainers: [
        { name: 'e', image: 'i' },
        { name: 'f', image: 'i' },
      ],
    });
    view?.prepareForUpdate?.(more, old, context);
    assert.equal(more.spec?.nodeName, undefined);
    assert.deepEqual(paths(view?.validateUpdate?.(more, old, context)), []);
    const changed = podOf({ ephemeralContainers: [{ name: 'e', image: 'j' }] });
    assert.deepEqual(paths(view?.validateUpdate?.(changed, old, context)), ['spec.ephemeralContainers']);
    assert.deepEqual(paths(view?.validateUpdate?.(podOf(), old, context)), ['spec.ephemeralContainers']);
  });

  describe('row in tables', () => {
    const now = Date.parse('2020-01-01T01:00:00Z');
    const cells = (status: PodStatus, spec: Partial<PodSpec> = {}) =>
      rules.cells?.(podOf(spec, status), { naming, release: defaultRelease, now }).slice(1, 4).join(' ');
    const init = { initContainers: [{ name: 'i', image: 'i' }] };
    const cases: [title: string, shown: string | undefined, expected: string][] = [
      ['shows the phase', cells({ phase: 'Pending' }), '0/1 Pending 0'],
      [
        'shows why a container waits',
        cells({ containerStatuses: [statusOf({ waiting: { reason: 'Backoff' } })] }),
        '0/1 Backoff 0',
      ],
      [
        'shows the exit code of a terminated container',
        cells({ containerStatuses: [statusOf({ terminated: { exitCode: 3 } })] }),
        '0/1 ExitCode:3 0',
      ],
      [
        'shows the signal that terminated a container',
        cells({ containerStatuses: [statusOf({ terminated: { exitCode: 3, signal: 9 } })] }),
        '0/1 Signal:9 0',
      ],
      [
        'shows how many init containers are complete',
        cells({ initContainerStatuses: [statusOf({ running: {} })] }, init),
        '0/1 Init:0/1 0',
      ],
      [
        'shows the exit code of an init container',
        cells({ initContainerStatuses: [statusOf({ terminated: { exitCode: 1 } })] }, init),
        '0/1 Init:ExitCode:1 0',
      ],
      [
        'shows restarts with their time',
        cells({
          phase: 'Running',
          containerStatuses: [
            {
              ...statusOf({ running: {} }),
              ready: true,
              restartCount: 2,
              lastState: { terminated: { exitCode: 1, finishedAt: '2020-01-01T00:50:00Z' } },
            },
          ],
        }),
        '1/1 Running 2 (10m ago)',
      ],
    ];
    for (const [title, shown, expected] of cases) it(title, () => assert.equal(shown, expected));
  });
});

function statusOf(state: NonNullable<PodStatus['containerStatuses']>[number]['state'] & object) {
  return { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state };
}
