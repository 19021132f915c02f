import assert from 'node:assert/strict';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import { kindRules } from './index.ts';
import { KindTester } from './testing/kind-tester.ts';

const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });

/** The rules of a kind in a release, without a server. */
function tester(identity: string, name: ReleaseName, served: string, kind: string): KindTester<ApiObject> {
  const release = releaseOf(name);
  const rules = kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 1 }).get(identity)!;
  return new KindTester(rules, served, kind, {}, release);
}

const DNS =
  "can result in surprising behavior; a DNS label is recommended: [a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')]";
const OF_POD = `metadata.name: this is used in the Pod's hostname, which ${DNS}`;
const OF_WORKLOAD = `metadata.name: this is used in Pod names and hostnames, which ${DNS}`;
const spec = { containers: [{ name: 'c', image: 'i' }] };
const labels = { a: 'b' };
const template = { metadata: { labels }, spec };
const once = { metadata: { labels }, spec: { ...spec, restartPolicy: 'Never' } };
const selector = { matchLabels: labels };
const dotted = { name: 'a.b' };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } };
const fraction = (path: string): string =>
  `${path}.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer`;
const webhooks = (apiGroups: readonly string[], resources: readonly string[]) => ({
  webhooks: [
    {
      ...{
        name: 'a.b.c',
        clientConfig: { url: 'https://a.b/c' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
      rules: [{ operations: ['CREATE'], apiVersions: ['v1'], apiGroups, resources }],
    },
  ],
});
const RESERVED =
  'names ending with ".static.orch.io" are reserved for static manifest-based configurations and cannot be managed via the API';

type Kind = readonly [identity: string, served: string, kind: string];
const POD: Kind = ['core/pods', 'core.v1', 'Pod'];
const DEPLOYMENT: Kind = ['apps/deployments', 'apps.v1', 'Deployment'];
const SET: Kind = ['apps/statefulsets', 'apps.v1', 'StatefulSet'];
const JOB: Kind = ['batch/jobs', 'batch.v1', 'Job'];
const CRON_JOB: Kind = ['batch/cronjobs', 'batch.v1', 'CronJob'];
const CLAIM: Kind = ['core/persistentvolumeclaims', 'core.v1', 'PersistentVolumeClaim'];
const VOLUME: Kind = ['core/persistentvolumes', 'core.v1', 'PersistentVolume'];
const NODE: Kind = ['core/nodes', 'core.v1', 'Node'];
const WEBHOOKS: Kind = [
  'admissionregistration/validatingwebhookconfigurations',
  'admissionregistration.v1',
  'ValidatingWebhookConfiguration',
];

describe('warnings that later releases give', () => {
  const cases: readonly (readonly [
    what: string,
    kind: Kind,
    before: ReleaseName,
    since: ReleaseName,
    body: object,
    warnings: readonly string[],
  ])[] = [
    ['the name of a pod', POD, '1.26', '1.27', { metadata: dotted, spec }, [OF_POD]],
    [
      'the name of a deployment',
      DEPLOYMENT,
      '1.26',
      '1.27',
      { metadata: dotted, spec: { selector, template } },
      [OF_WORKLOAD],
    ],
    ['the name of a job', JOB, '1.26', '1.27', { metadata: dotted, spec: { template: once } }, [OF_WORKLOAD]],
    [
      'the name of a cron job',
      CRON_JOB,
      '1.26',
      '1.27',
      { metadata: dotted, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } } } },
      [OF_WORKLOAD],
    ],
    [
      'very many completions',
      JOB,
      '1.27',
      '1.28',
      { spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001, template: once } },
      [
        'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Orch might not be able to track completedIndexes when a big number of indexes fail',
      ],
    ],
    ['a part of a byte', CLAIM, '1.25', '1.26', { spec: claim }, [fraction('spec')]],
    [
      'a part of a byte in a set, and a history without end',
      SET,
      '1.25',
      '1.33',
      {
        spec: {
          ...{ selector, template, serviceName: 's', revisionHistoryLimit: -1 },
          volumeClaimTemplates: [{ metadata: { name: 'a' }, spec: claim }],
        },
      },
      [
        fraction('spec.volumeClaimTemplates[0]'),
        'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
      ],
    ],
    [
      'the annotation of a class',
      CLAIM,
      '1.27',
      '1.28',
      { metadata: { annotations: { 'volume.beta.orch.io/storage-class': 'a' } } },
      [
        'metadata.annotations[volume.beta.orch.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      ],
    ],
    [
      'the annotation of options',
      VOLUME,
      '1.30',
      '1.31',
      { metadata: { annotations: { 'volume.beta.orch.io/mount-options': 'a' } } },
      [
        'metadata.annotations[volume.beta.orch.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
      ],
    ],
    [
      'an id that is not used',
      NODE,
      '1.26',
      '1.27',
      { spec: { externalID: 'a' } },
      ['spec.externalID: this field is deprecated, and is unused by Orch'],
    ],
    [
      'secrets that an account may mount',
      ['core/serviceaccounts', 'core.v1', 'ServiceAccount'],
      '1.31',
      '1.32',
      { metadata: { name: 'a', annotations: { 'orch.io/enforce-mountable-secrets': 'true' } } },
      [
        'metadata.annotations[orch.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
      ],
    ],
    [
      'reviews, which no webhook sees',
      WEBHOOKS,
      '1.36',
      '1.37',
      webhooks(['authentication.orch.io', ''], ['tokenreviews', 'pods', 'tokenreviews']),
      [
        'webhooks[0].rules[0]: tokenreviews.authentication.orch.io is excluded from admission webhooks; this rule will have no effect',
      ],
    ],
    ['everything, reviews among it', WEBHOOKS, '1.36', '1.37', webhooks(['*'], ['tokenreviews']), []],
    [
      'a reserved name',
      WEBHOOKS,
      '1.35',
      '1.36',
      { metadata: { name: 'a.static.orch.io' }, ...webhooks([''], ['pods']) },
      [`metadata.name: ${RESERVED}`],
    ],
  ];
  for (const [what, [identity, served, kind], before, since, body, warnings] of cases)
    it(`${what}, since ${since}`, () => {
      assert.deepEqual(tester(identity, since, served, kind).warnings(body), warnings);
      assert.deepEqual(tester(identity, before, served, kind).warnings(body), []);
    });
});

describe('what later releases refuse', () => {
  it('a reserved name of a new configuration, since 1.37', () => {
    const body = { metadata: { name: 'a.static.orch.io' }, ...webhooks([''], ['pods']) };
    const [identity, served, kind] = WEBHOOKS;
    assert.deepEqual(tester(identity, '1.36', served, kind).errors(body), []);
    assert.deepEqual(tester(identity, '1.37', served, kind).errors(body), [
      `metadata.name: Invalid value: "a.static.orch.io": ${RESERVED}`,
    ]);
  });

  const set = { spec: { selector, template, serviceName: 's', revisionHistoryLimit: 1 } };
  const changed = (more: object) => ({ spec: { ...set.spec, ...more } });
  const fields = (history: string, ordinals = "'ordinals', ") =>
    `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', ${ordinals}'template', 'updateStrategy', ${history}'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`;
  const rows: readonly (readonly [release: ReleaseName, change: object, errors: readonly string[]])[] = [
    ['1.25', { serviceName: 't' }, [fields('', '')]],
    ['1.26', { serviceName: 't' }, [fields('')]],
    ['1.32', { revisionHistoryLimit: 2 }, [fields('')]],
    ['1.33', { revisionHistoryLimit: 2 }, []],
    ['1.36', { serviceName: 't' }, [fields("'revisionHistoryLimit', ")]],
    ['1.37', { revisionHistoryLimit: 2 }, []],
    [
      '1.37',
      { serviceName: 't', podManagementPolicy: 'Parallel' },
      [
        'spec.serviceName: Invalid value: "t": field is immutable',
        'spec.podManagementPolicy: Invalid value: "Parallel": field is immutable',
      ],
    ],
  ];
  for (const [release, change, errors] of rows)
    it(`of a change of a stateful set: ${JSON.stringify(change)} in ${release}`, () => {
      const [identity, served, kind] = SET;
      assert.deepEqual(tester(identity, release, served, kind).updateErrors(set, changed(change)), errors);
    });
});
