import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { Container, PodSpec, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';
import { podTemplateWarnings } from './template.ts';

const naming = createNaming('orch');
const PATH = new FieldPath('template');
const key = (short: string): string => naming.key(short);

function warningsIn(release: ReleaseName, spec: Partial<PodSpec>, annotations: Record<string, string> = {}): string[] {
  const context = { naming, gates: createFeatureGates(new Map(), releaseOf(release)), release: releaseOf(release) };
  const template: PodTemplateSpec = { metadata: { annotations }, spec: { containers: [{ name: 'c' }], ...spec } };
  return podTemplateWarnings(template, PATH, context);
}

const withPorts = (...ports: NonNullable<Container['ports']>): Partial<PodSpec> => ({
  containers: [{ name: 'c', ports }],
});
const port = (containerPort: number, more: object = {}) => ({ containerPort, protocol: 'TCP', ...more });
const token = { serviceAccountToken: { path: 'a' } };

describe('warnings about a pod template in later releases', () => {
  const cases: readonly (readonly [
    what: string,
    before: ReleaseName,
    since: ReleaseName,
    spec: Partial<PodSpec>,
    warnings: readonly string[],
  ])[] = [
    [
      'an address of a host without its port',
      '1.27',
      '1.28',
      withPorts(port(80, { hostIP: '1.1.1.1', name: 'a' })),
      [
        'template.spec.containers[0].ports[0]: hostIP set without hostPort: {Name:a HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}',
      ],
    ],
    [
      'equal ports',
      '1.27',
      '1.28',
      withPorts(port(80), port(81), port(80), port(80, { protocol: 'UDP' })),
      ['template.spec.containers[0].ports[2]: duplicate port definition with template.spec.containers[0].ports[0]'],
    ],
    [
      'a port with and without a port of the host',
      '1.27',
      '1.28',
      withPorts(port(80), port(80, { hostPort: 1 })),
      ['template.spec.containers[0].ports[1]: overlapping port definition with template.spec.containers[0].ports[0]'],
    ],
    [
      'a port of the host at one address and at all',
      '1.27',
      '1.28',
      withPorts(port(80, { hostPort: 1 }), port(80, { hostPort: 1, hostIP: '1.1.1.1' })),
      [
        'template.spec.containers[0].ports[1]: dangerously ambiguous port definition with template.spec.containers[0].ports[0]',
      ],
    ],
    [
      'ports of other addresses',
      '1.27',
      '1.28',
      withPorts(port(80, { hostPort: 1, hostIP: '1.1.1.1' }), port(80, { hostPort: 1, hostIP: '1.1.1.2' })),
      [],
    ],
    [
      'equal names of ports',
      '1.32',
      '1.33',
      withPorts(port(80, { name: 'a' }), port(81, { name: 'a' })),
      [
        'template.spec.containers[0].ports[1]: duplicate port name "a" with template.spec.containers[0].ports[0], services and probes that select ports by name will use template.spec.containers[0].ports[0]',
      ],
    ],
    [
      'a part of a byte of a volume',
      '1.25',
      '1.26',
      {
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
              },
            },
          },
        ],
      },
      [
        'template.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    ],
    [
      'files at one path and in a file',
      '1.31',
      '1.32',
      {
        volumes: [
          {
            name: 'v',
            configMap: {
              name: 'm',
              items: [
                { key: 'a', path: 'p' },
                { key: 'b', path: 'p/q' },
                { key: 'c', path: 'pq' },
              ],
            },
          },
        ],
      },
      ['volume "v" (ConfigMap "m"): overlapping paths: "p/q" with "p"'],
    ],
    [
      'files of several sources',
      '1.31',
      '1.32',
      {
        volumes: [
          { name: 'v', projected: { sources: [{}, token, { clusterTrustBundle: { name: 'b', path: 'a/' } }] } },
        ],
      },
      [
        'volume "v" (Projected) has no sources provided',
        'volume "v" (Projected): overlapping paths: "a" (ClusterTrustBundle "b") with "a" (ServiceAccountToken)',
      ],
    ],
    [
      'addresses in an unusual form',
      '1.32',
      '1.33',
      { dnsConfig: { nameservers: ['2001:DB8::1'] }, hostAliases: [{ ip: '::FF' }] },
      [
        'template.spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        'template.spec.hostAliases[0].ip: IPv6 address "::FF" should be in RFC 5952 canonical format ("::ff")',
      ],
    ],
  ];
  for (const [what, before, since, spec, warnings] of cases)
    it(`${what}, since ${since}`, () => {
      assert.deepEqual(warningsIn(since, spec), warnings);
      assert.deepEqual(warningsIn(before, spec), []);
    });

  const seccomp = key('seccomp.security.alpha/pod');
  const armor = `${key('container.apparmor.security.beta/')}c`;
  const own: Partial<PodSpec> = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
  const annotated: readonly (readonly [
    release: ReleaseName,
    annotation: string,
    value: string,
    spec: Partial<PodSpec>,
    text: string | undefined,
  ])[] = [
    [
      '1.26',
      seccomp,
      'x',
      {},
      'deprecated since v1.19, non-functional in a future release; use the "seccompProfile" field instead',
    ],
    ['1.27', seccomp, 'x', {}, 'non-functional in v1.27+; use the "seccompProfile" field instead'],
    ['1.29', armor, 'unconfined', {}, undefined],
    ['1.30', armor, 'unconfined', {}, 'deprecated since v1.30; use the "appArmorProfile" field instead'],
    ['1.33', armor, 'unconfined', own, undefined],
    ['1.34', armor, 'unconfined', own, 'deprecated since v1.30; use the "appArmorProfile" field instead'],
    ['1.34', armor, 'runtime/default', own, undefined],
  ];
  for (const [release, annotation, value, spec, text] of annotated)
    it(`${annotation}=${value} in ${release}${spec === own ? ', beside a profile of the pod' : ''}`, () => {
      const found = warningsIn(release, spec, { [annotation]: value });
      assert.deepEqual(found, text === undefined ? [] : [`template.metadata.annotations[${annotation}]: ${text}`]);
    });

  const sameItems = (count: number) => Array.from({ length: count }, () => ({ key: 'k', path: 'p' }));
  const many: readonly (readonly [what: string, spec: (count: number) => Partial<PodSpec>])[] = [
    ['ports', (count) => withPorts(...Array.from({ length: count }, () => port(80)))],
    ['paths of a volume', (count) => ({ volumes: [{ name: 'v', configMap: { name: 'c', items: sameItems(count) } }] })],
    [
      'paths of many volumes',
      (count) => ({
        volumes: Array.from({ length: count / 50 }, (_, i) => ({
          name: `v${i}`,
          configMap: { name: 'c', items: sameItems(50) },
        })),
      }),
    ],
  ];
  for (const [what, spec] of many)
    it(`does not compare all ${what} with each other if there are very many`, () => {
      const warnings = (count: number) => warningsIn('1.37', spec(count)).length;
      assert.equal(warnings(10_000), warnings(100));
    });
});
