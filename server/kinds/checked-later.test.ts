import assert from 'node:assert/strict';
import { latestRelease, type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import { kindRules } from './index.ts';
import { KindTester } from './testing/kind-tester.ts';

const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });

/** The rules of a kind in a release, tried without a server. */
function tester(identity: string, version: string, kind: string, name: ReleaseName): KindTester<ApiObject> {
  const release = releaseOf(name);
  const rules = kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 1 }).get(identity)!;
  return new KindTester(rules, version, kind, {}, release);
}

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const set = (spec: object) => ({
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});
const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
});
const slice = (spec: object) => ({
  spec: { driver: 'd.io', pool: { name: 'p', resourceSliceCount: 1, generation: 1 }, nodeName: 'n', ...spec },
});
const pod = (spec: object) => ({
  spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'a', ...spec },
});
const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] };
const scoped = (hard: object) => ({
  spec: { hard, scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'Exists' }] } },
});

type Row = [what: string, release: ReleaseName, body: object, errors: string[]];
const tables: [identity: string, version: string, kind: string, rows: Row[]][] = [
  [
    'apps/statefulsets',
    'apps.v1',
    'StatefulSet',
    [
      ['an invalid service name', '1.32', set({ serviceName: 'A_b' }), []],
      [
        'an invalid service name',
        '1.33',
        set({ serviceName: 'A_b' }),
        [`spec.serviceName: Invalid value: "A_b": ${label}`],
      ],
      ['valid claim templates', '1.37', set({ volumeClaimTemplates: [claim('v')] }), []],
      [
        'claim templates without access modes and storage',
        '1.36',
        set({ volumeClaimTemplates: [{ metadata: { name: 'V' } }] }),
        [],
      ],
      [
        'claim templates without access modes and storage',
        '1.37',
        set({ volumeClaimTemplates: [{ metadata: { name: 'V' } }] }),
        [
          'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
          'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
          `spec.template.spec.volumes[0].name: Invalid value: "V": ${label}`,
        ],
      ],
    ],
  ],
  [
    'autoscaling/horizontalpodautoscalers',
    'autoscaling.v2',
    'HorizontalPodAutoscaler',
    [
      [
        'a tolerance below zero',
        '1.37',
        {
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
            behavior: { scaleUp: { tolerance: '0.1' }, scaleDown: { tolerance: '-1' } },
          },
        },
        ['spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0'],
      ],
    ],
  ],
  [
    'core/services',
    'core.v1',
    'Service',
    [
      [
        'a known traffic distribution',
        '1.37',
        { spec: { ports: [{ port: 80 }], trafficDistribution: 'PreferSameNode' } },
        [],
      ],
      [
        'an unknown traffic distribution',
        '1.37',
        { spec: { ports: [{ port: 80 }], trafficDistribution: 'Foo' } },
        [
          'spec.trafficDistribution: Unsupported value: "Foo": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
        ],
      ],
    ],
  ],
  [
    'core/resourcequotas',
    'core.v1',
    'ResourceQuota',
    [
      [
        'a quota of claims by VolumeAttributesClass',
        '1.37',
        scoped({ 'requests.storage': '1', persistentvolumeclaims: '1' }),
        [],
      ],
      [
        'a quota of claims by VolumeAttributesClass',
        '1.33',
        scoped({ 'requests.storage': '1' }),
        ['spec.scopeSelector.matchExpressions.scopeName: Invalid value: "VolumeAttributesClass": unsupported scope'],
      ],
      [
        'a quota of pods by VolumeAttributesClass',
        '1.37',
        scoped({ pods: '1' }),
        [
          'spec.scopeSelector.matchExpressions: Invalid value: {"matchExpressions":[{"scopeName":"VolumeAttributesClass","operator":"Exists"}]}: unsupported scope applied to resource',
        ],
      ],
    ],
  ],
  [
    'core/pods',
    'core.v1',
    'Pod',
    [
      [
        'an image volume without a reference',
        '1.37',
        pod({ volumes: [{ name: 'v', image: {} }] }),
        ['spec.volumes[0].image.reference: Required value'],
      ],
      [
        'DNS search domains with underscores',
        '1.37',
        pod({ dnsConfig: { searches: ['_sip._tcp.example.com', '.'] } }),
        [],
      ],
    ],
  ],
  [
    'apps/deployments',
    'apps.v1',
    'Deployment',
    [
      [
        'an image volume without a reference',
        '1.37',
        set({
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', image: {} }] },
          },
        }),
        [],
      ],
    ],
  ],
  [
    'resource/deviceclasses',
    'resource.v1',
    'DeviceClass',
    [
      ['a name with a domain', '1.37', { spec: { extendedResourceName: 'example.com/gpu' } }, []],
      [
        'a name without a domain',
        '1.37',
        { spec: { extendedResourceName: 'cpu' } },
        [
          `spec.extendedResourceName: Invalid value: "cpu": a name must be a domain-prefixed path, such as 'example.com/my-prop'`,
        ],
      ],
    ],
  ],
  [
    'resource/resourceclaimtemplates',
    'resource.v1',
    'ResourceClaimTemplate',
    [
      [
        'metadata of claims',
        '1.37',
        { spec: { metadata: { labels: { a: 'b c' }, name: 'x' }, spec: {} } },
        [`spec.metadata.labels: Invalid value: "b c": ${labelValue}`, 'spec.metadata.name: Forbidden: cannot be set'],
      ],
    ],
  ],
  [
    'resource/resourceslices',
    'resource.v1',
    'ResourceSlice',
    [
      [
        'a node selector with one term',
        '1.37',
        slice({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term] } }),
        [],
      ],
      [
        'a node selector with two terms',
        '1.37',
        slice({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term, term] } }),
        [
          `spec.nodeSelector.nodeSelectorTerms: Invalid value: ${JSON.stringify([term, term])}: must have exactly one node selector term`,
        ],
      ],
    ],
  ],
];

for (const [identity, version, kind, rows] of tables) {
  describe(`${identity} in later releases`, () => {
    for (const [what, release, body, errors] of rows) {
      it(`${what} in ${release}`, () => {
        assert.deepEqual(tester(identity, version, kind, release).errors(JSON.parse(JSON.stringify(body))), errors);
      });
    }
  });
}

describe('a StatefulSet in the latest release', () => {
  it('can keep claim templates and a service name that an earlier release accepted', () => {
    const sets = tester('apps/statefulsets', 'apps.v1', 'StatefulSet', '1.37');
    const old = set({ serviceName: 'A_b', volumeClaimTemplates: [{ metadata: { name: 'V' } }] });
    assert.deepEqual(sets.updateErrors(old, { spec: { ...old.spec, replicas: 3 } }), []);
  });
});

describe('device taints', () => {
  it('get the current time as timeAdded by default', () => {
    const slices = tester('resource/resourceslices', 'resource.v1', 'ResourceSlice', latestRelease.name);
    const taint = { key: 'a', effect: 'NoSchedule' };
    const { spec } = slices.created(slice({ devices: [{ name: 'd', taints: [taint] }] })) as unknown as {
      spec: { devices: { taints: object[] }[] };
    };
    assert.deepEqual(spec.devices[0]!.taints, [{ ...taint, timeAdded: '2020-01-01T00:00:00Z' }]);
  });
});

describe('a Job', () => {
  const key = 'batch.orch.io/job-tracking';
  const body = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } };
  for (const [release, annotations] of [
    ['1.26', { [key]: '' }],
    ['1.27', undefined],
  ] as const)
    it(`has ${annotations === undefined ? 'no annotation' : 'an annotation'} for tracking in ${release}`, () => {
      assert.deepEqual(
        tester('batch/jobs', 'batch.v1', 'Job', release).created(body).metadata.annotations,
        annotations,
      );
    });
});

describe('AppArmor', () => {
  const prefix = 'container.apparmor.security.beta.orch.io/';
  const deprecated = `metadata.annotations[${prefix}c]: deprecated since v1.30; use the "appArmorProfile" field instead`;
  const mismatch =
    'spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match';
  const cases: [
    annotation: string,
    release: ReleaseName,
    field: object | undefined,
    result: object | undefined,
    warned: boolean,
    errors: string[],
  ][] = [
    ['localhost/foo', '1.29', undefined, undefined, false, []],
    ['localhost/foo', '1.30', undefined, { type: 'Localhost', localhostProfile: 'foo' }, true, []],
    ['runtime/default', '1.37', undefined, { type: 'RuntimeDefault' }, true, []],
    ['unconfined', '1.37', { type: 'Unconfined' }, { type: 'Unconfined' }, false, []],
    ['runtime/default', '1.37', { type: 'Unconfined' }, { type: 'Unconfined' }, false, [mismatch]],
  ];
  for (const [annotation, release, field, result, warned, errors] of cases)
    it(`annotation ${annotation} with the field ${JSON.stringify(field)} results in ${JSON.stringify(result)} in ${release}`, () => {
      const pods = tester('core/pods', 'core.v1', 'Pod', release);
      const warnings: string[] = [];
      pods.context.warn = (text) => warnings.push(text);
      const container = { name: 'c', image: 'i', ...(field && { securityContext: { appArmorProfile: field } }) };
      const body = { metadata: { name: 'p', annotations: { [`${prefix}c`]: annotation } }, ...pod({}) };
      Object.assign(body.spec, { containers: [container] });
      const created = pods.created(body) as { spec?: { containers?: { securityContext?: Record<string, unknown> }[] } };
      assert.deepEqual(created.spec?.containers?.[0]?.securityContext?.['appArmorProfile'], result);
      assert.deepEqual(warnings, warned ? [deprecated] : []);
      assert.deepEqual(pods.errors(body), errors);
    });
});
