import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { defaultPodSpec } from '#schema/conversion/core/default-pod-spec.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { Container, PodSpec, Volume } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';
import { validatePodAnnotations, validateProfilesAgree } from './annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

const naming = createNaming('orch');
const gates = createFeatureGates();
const SPEC = new FieldPath('spec');

/** Every error of a spec with defaults, as `path: type`. */
function errorsOf(spec: Partial<PodSpec>, allowPrivileged = true): string[] {
  const copy: PodSpec = structuredClone({ containers: [{ name: 'c', image: 'i' }], ...spec });
  fillDefaults(sharedMessage('core.v1.PodSpec'), asJson(copy));
  defaultPodSpec(copy);
  const errors = validatePodSpec(copy, { name: 'p' }, SPEC, {
    naming,
    gates,
    release: defaultRelease,
    allowPrivileged,
  });
  return errors.map(({ field, type }) => `${field}: ${type.replace('FieldValue', '')}`);
}

function inContainer(fields: Partial<Container>): Partial<PodSpec> {
  return { containers: [{ name: 'c', image: 'i', ...fields }] };
}

function withVolumes(...volumes: Partial<Volume>[]): Partial<PodSpec> {
  return { volumes: volumes.map((volume, i) => ({ name: `v${i}`, ...volume })) };
}

describe('a pod spec is refused for', () => {
  const cases: [title: string, spec: Partial<PodSpec>, errors: string[]][] = [
    ['nothing if it is valid', {}, []],
    ['having no containers', { containers: [] }, ['spec.containers: Required']],
    [
      'unknown policies',
      { restartPolicy: 'x', dnsPolicy: 'x' },
      ['spec.restartPolicy: NotSupported', 'spec.dnsPolicy: NotSupported'],
    ],
    ['a deadline of zero', { activeDeadlineSeconds: 0 }, ['spec.activeDeadlineSeconds: Invalid']],
    [
      'invalid host, subdomain and node names',
      { hostname: 'B', subdomain: 'a.b', nodeName: '-' },
      ['spec.nodeName: Invalid', 'spec.hostname: Invalid', 'spec.subdomain: Invalid'],
    ],
    ['missing DNS settings', { dnsPolicy: 'None' }, ['spec.dnsConfig: Required']],
    [
      'invalid DNS settings',
      { dnsConfig: { nameservers: ['1.1.1.1', 'x', '::1', '1.2.3.4'], searches: ['a.', 'B'], options: [{}] } },
      [
        'spec.dnsConfig.nameservers: Invalid',
        'spec.dnsConfig.nameservers[1]: Invalid',
        'spec.dnsConfig.searches[1]: Invalid',
        'spec.dnsConfig.options[0]: Required',
      ],
    ],
    [
      'invalid host aliases',
      { hostAliases: [{ ip: 'x', hostnames: ['B'] }] },
      ['spec.hostAliases.ip: Invalid', 'spec.hostAliases.hostnames: Invalid'],
    ],
    [
      'invalid readiness gates',
      { readinessGates: [{ conditionType: 'a b' }] },
      ['spec.readinessGates[0].conditionType: Invalid'],
    ],
    ['an unknown operating system', { os: { name: 'x' } }, ['spec.os: NotSupported']],
    [
      'Linux fields on Windows',
      { os: { name: 'windows' }, hostPID: true, securityContext: { runAsUser: 1 } },
      ['spec.hostPID: Forbidden', 'spec.securityContext.runAsUser: Forbidden'],
    ],
    [
      'all Linux fields on Windows, in this order',
      {
        os: { name: 'windows' },
        shareProcessNamespace: true,
        hostIPC: true,
        securityContext: { supplementalGroups: [1], fsGroup: 1, runAsGroup: 1, seLinuxOptions: {} },
      },
      [
        'spec.securityContext.seLinuxOptions: Forbidden',
        'spec.hostIPC: Forbidden',
        'spec.securityContext.fsGroup: Forbidden',
        'spec.shareProcessNamespace: Forbidden',
        'spec.securityContext.runAsGroup: Forbidden',
        'spec.securityContext.supplementalGroups: Forbidden',
      ],
    ],
    [
      'Windows options on Linux',
      { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
      ['spec.securityContext.windowsOptions: Forbidden'],
    ],
    [
      'both hostPID and shareProcessNamespace',
      { hostPID: true, shareProcessNamespace: true },
      ['spec.securityContext.shareProcessNamespace: Invalid'],
    ],
    [
      'different host and container ports on the host network',
      { hostNetwork: true, ...inContainer({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
      ['spec.containers[0].ports[0].containerPort: Invalid'],
    ],
    [
      'host process containers together with other containers',
      {
        containers: [
          { name: 'a', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } },
          { name: 'b', image: 'i' },
        ],
      },
      ['spec: Invalid', 'spec.hostNetwork: Invalid'],
    ],
    [
      'an invalid overhead',
      { overhead: { foo: '1' } },
      ['spec.overhead.limits[foo]: Invalid', 'spec.overhead.limits[foo]: Invalid'],
    ],
    ['an unknown preemption policy', { preemptionPolicy: 'x' }, ['spec.preemptionPolicy: NotSupported']],
    [
      'an init container with a liveness probe',
      { initContainers: [{ name: 'i', image: 'i', livenessProbe: { exec: { command: ['x'] } } }] },
      ['spec.initContainers[0].livenessProbe: Forbidden'],
    ],
    [
      'a duplicate host port',
      inContainer({
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 9 },
        ],
      }),
      ['spec.containers[0].ports[1].hostPort: Duplicate'],
    ],
    [
      'invalid probes',
      inContainer({ startupProbe: {}, readinessProbe: { tcpSocket: { port: 0 }, terminationGracePeriodSeconds: 1 } }),
      [
        'spec.containers[0].readinessProbe.tcpSocket.port: Invalid',
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid',
        'spec.containers[0].startupProbe: Required',
      ],
    ],
    [
      'invalid ephemeral containers',
      { ephemeralContainers: [{ name: 'c', image: ' i', targetContainerName: 'x', ports: [{ containerPort: 1 }] }] },
      [
        'spec.ephemeralContainers[0].image: Invalid',
        'spec.ephemeralContainers[0].name: Duplicate',
        'spec.ephemeralContainers[0].targetContainerName: NotFound',
        'spec.ephemeralContainers[0].ports: Forbidden',
      ],
    ],
    [
      'two sources of a volume',
      withVolumes({ emptyDir: {}, nfs: { server: 's', path: '/p' } }),
      ['spec.volumes[0].nfs: Forbidden'],
    ],
    [
      'volume sources with missing fields',
      withVolumes(
        { rbd: { monitors: [], image: '' } },
        { fc: { targetWWNs: ['a'] } },
        { quobyte: { registry: 'r', volume: '' } },
      ),
      [
        'spec.volumes[0].rbd.monitors: Required',
        'spec.volumes[0].rbd.image: Required',
        'spec.volumes[1].fc.lun: Required',
        'spec.volumes[2].quobyte.registry: Invalid',
        'spec.volumes[2].quobyte.volume: Required',
      ],
    ],
    [
      'volume sources whose errors have other field names',
      withVolumes(
        { gcePersistentDisk: { pdName: '', partition: 256 } },
        {
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { uid: 'u', creationTimestamp: '2020-01-01T00:00:00Z' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ),
      [
        'spec.volumes[0].persistentDisk.pdName: Required',
        'spec.volumes[0].persistentDisk.partition: Invalid',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.metadata.uID: Forbidden',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.metadata.creationTimestamp: Forbidden',
      ],
    ],
    [
      'reserved options of a FlexVolume',
      withVolumes({ flexVolume: { driver: 'a/b', options: { [naming.key('x')]: '' } } }),
      [`spec.volumes[0].flexVolume.options[${naming.key('x')}]: Invalid`],
    ],
    [
      'a claim that an ephemeral volume creates',
      withVolumes(
        {
          name: 'e',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
            },
          },
        },
        { persistentVolumeClaim: { claimName: 'p-e' } },
      ),
      ['spec.volumes[1].persistentVolumeClaim.claimName: Invalid'],
    ],
    [
      'an invalid CSI secret or driver name',
      withVolumes({ csi: { driver: 'd', nodePublishSecretRef: { name: 'A' } } }, { csi: { driver: 'd'.repeat(64) } }),
      ['spec.volumes[0].csi.name: Invalid', 'spec.volumes[1].csi.driver: TooLong'],
    ],
    [
      'two sources in one projection',
      withVolumes({ projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'c' } }] } }),
      ['spec.volumes[0].projected.sources[0]: Forbidden'],
    ],
    [
      'match label keys that the selector contains',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'ScheduleAnyway',
            minDomains: 1,
            matchLabelKeys: ['a'],
            labelSelector: { matchLabels: { a: 'b' } },
          },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].minDomains: Invalid',
        'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid',
      ],
    ],
  ];
  for (const [title, spec, errors] of cases) it(title, () => assert.deepEqual(errorsOf(spec), errors));

  it('privileged containers if they are not allowed', () => {
    const spec = inContainer({ securityContext: { privileged: true } });
    assert.deepEqual(errorsOf(spec), []);
    assert.deepEqual(errorsOf(spec, false), ['spec.containers[0].securityContext.privileged: Forbidden']);
  });

  it('host process containers if privileged containers are not allowed', () => {
    const spec = { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } };
    assert.deepEqual(errorsOf(spec), []);
    assert.deepEqual(errorsOf(spec, false), ['spec: Forbidden']);
  });

  it('invalid user names on Windows', () => {
    const user = (runAsUserName: string) => errorsOf({ securityContext: { windowsOptions: { runAsUserName } } }).length;
    assert.deepEqual(['me', 'd\\me', 'a.b\\me'].map(user), [0, 0, 0]);
    assert.deepEqual(['', 'a\\b\\c', 'd\\', '..', 'a?', 'x\n', '\\me'].map(user), [1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('validation of pod annotations', () => {
  const spec: PodSpec = { containers: [{ name: 'c', image: 'i' }] };
  const at = new FieldPath('metadata').child('annotations');
  const errors = (key: string, value: string, old?: string) =>
    validatePodAnnotations(
      { [naming.key(key)]: value },
      spec,
      at,
      { naming, gates, release: defaultRelease },
      old === undefined ? undefined : { [naming.key(key)]: old },
    ).length;

  it('checks annotations that have a meaning', () => {
    assert.equal(errors('config.mirror', 'x'), 1);
    assert.deepEqual(
      ['0', '-5', '2147483647'].map((cost) => errors('controller/pod-deletion-cost', cost)),
      [0, 0, 0],
    );
    assert.deepEqual(
      ['+1', '01', '', '2147483648'].map((cost) => errors('controller/pod-deletion-cost', cost)),
      [1, 1, 1, 1],
    );
    assert.equal(errors('controller/pod-deletion-cost', 'x', 'y'), 0);
    assert.equal(errors('seccomp.security.alpha/pod', 'localhost/../x'), 1);
    assert.equal(errors('container.apparmor.security.beta/c', 'runtime/default'), 0);
    assert.equal(errors('container.apparmor.security.beta/other', 'junk'), 2);
    assert.equal(errors('scheduler.alpha/tolerations', '[{"operator":"x","key":"a"}]'), 1);
    assert.equal(errors('scheduler.alpha/tolerations', '{'), 1);
  });

  it('requires that profiles in annotations and fields are equal', () => {
    const profiles = (annotation: string) =>
      validateProfilesAgree(
        { [naming.key('seccomp.security.alpha/pod')]: annotation },
        { ...spec, securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a' } } },
        SPEC,
        { naming },
      ).map(({ field }) => field);
    assert.deepEqual(profiles('localhost/a'), []);
    assert.deepEqual(profiles('localhost/b'), ['spec.securityContext.seccompProfile.localhostProfile']);
    assert.deepEqual(profiles('unconfined'), ['spec.securityContext.seccompProfile.type']);
  });
});
