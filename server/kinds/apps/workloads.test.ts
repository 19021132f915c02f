import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { arbitraryObject } from '../../codecs/protobuf/arbitrary-object.test.ts';
import { horizontalPodAutoscaler } from '../autoscaling/horizontal-pod-autoscaler.ts';
import { cronJob } from '../batch/cron-job.ts';
import { job } from '../batch/job.ts';
import { replicationController } from '../core/replication-controller.ts';
import { podDisruptionBudget } from '../policy/pod-disruption-budget.ts';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';
import { KindHarness } from './testing/kind-harness.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
const selector = { matchLabels: { app: 'a' } };
const equal = { selector, template };
const pods = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx' }] } } };
const target = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 5 };

const kinds: [message: string, rules: KindRules, valid: object][] = [
  ['apps.v1.Deployment', deployment, { spec: equal }],
  ['apps.v1.ReplicaSet', replicaSet, { spec: equal }],
  ['apps.v1.StatefulSet', statefulSet, { spec: { ...equal, volumeClaimTemplates: [{}] } }],
  ['apps.v1.DaemonSet', daemonSet, { spec: equal }],
  ['apps.v1.ControllerRevision', controllerRevision, { data: {}, revision: 1 }],
  ['core.v1.ReplicationController', replicationController, { spec: { template } }],
  ['batch.v1.Job', job, { spec: pods }],
  ['batch.v1.CronJob', cronJob, { spec: { schedule: '* * * * *', jobTemplate: { spec: pods } } }],
  ['autoscaling.v2.HorizontalPodAutoscaler', horizontalPodAutoscaler, { spec: target }],
  ['policy.v1.PodDisruptionBudget', podDisruptionBudget, { spec: { minAvailable: 1 } }],
];

describe('every workload', () => {
  for (const [message, rules, body] of kinds) {
    const kind = new KindHarness(rules, message);
    const valid = { metadata: { name: 'x', namespace: 'n' }, ...body };

    it(`${message} is valid with its defaults, and does not change in an update`, () => {
      const { object, errors, warnings } = kind.create(valid);
      assert.deepEqual({ errors, warnings }, { errors: [], warnings: [] });
      assert.deepEqual(kind.update(object, {}), { object, errors: [], warnings: [] });
    });

    it(`${message} gets its defaults only once`, () => {
      const once = kind.read(valid);
      assert.deepEqual(kind.read(structuredClone(once)), once);
    });

    it(`${message} is either accepted or refused, for any content`, () => {
      const old = kind.create(valid).object;
      fc.assert(
        fc.property(arbitraryObject(kind.message), (given) => {
          const object = { metadata: {}, ...given } as { metadata: object; spec?: object; status?: object };
          const created = kind.create(object);
          kind.cells(created.object);
          kind.cells({ ...created.object, ...(object.status && { status: object.status }) } as ApiObject);
          kind.update(old, object.spec ?? {});
          kind.updateStatus(old, object.status ?? {});
        }),
        { numRuns: 40 },
      );
    });
  }
});

describe('Deployments', () => {
  const kind = new KindHarness(deployment, 'apps.v1.Deployment');
  const rolling = (maxUnavailable: JsonValue, maxSurge: JsonValue) => ({
    strategy: { rollingUpdate: { maxUnavailable, maxSurge } },
  });
  const refused: [title: string, spec: object, fields: string[]][] = [
    [
      'a spec without selector and template',
      { selector: null, template: null },
      ['selector', 'template.metadata.labels', 'template.spec.containers'],
    ],
    [
      'a selector that does not match the template',
      { selector: { matchLabels: { app: 'b' } } },
      ['template.metadata.labels'],
    ],
    ['an empty selector', { selector: {} }, ['selector']],
    [
      'a selector with an invalid label value',
      { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a b'] }] } },
      ['selector'],
    ],
    ['maxUnavailable and maxSurge of zero', rolling(0, '0%'), ['strategy.rollingUpdate.maxUnavailable']],
    ['maxUnavailable above 100 %', rolling('101%', 1), ['strategy.rollingUpdate.maxUnavailable']],
    [
      'rollingUpdate with strategy Recreate',
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      ['strategy.rollingUpdate'],
    ],
    ['an unknown strategy', { strategy: { type: 'Odd' } }, ['strategy']],
    ['a progress deadline below minReadySeconds', { minReadySeconds: 600 }, ['progressDeadlineSeconds']],
    [
      'restartPolicy Never',
      { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      ['template.spec.restartPolicy'],
    ],
  ];
  for (const [title, spec, fields] of refused) {
    it(`refuse ${title}`, () => {
      const { errors } = kind.create({ metadata: { name: 'x' }, spec: { ...equal, ...spec } });
      assert.deepEqual(
        errors.map((error) => error.slice(0, error.indexOf(': '))),
        fields.map((field) => `spec.${field}`),
      );
    });
  }

  it('keep their selector, keep labels in a status update, and can only increase collisionCount', () => {
    const { object } = kind.create({ metadata: { name: 'x', labels: { a: 'b' } }, spec: equal });
    assert.deepEqual(
      kind.update(object, { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }).errors,
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"app", Operator:"Exists", Values:[]string(nil)}}}: field is immutable',
      ],
    );
    const counted = kind.updateStatus({ ...object, metadata: { ...object.metadata } }, { collisionCount: 2 });
    assert.deepEqual(counted.errors, []);
    assert.deepEqual(kind.updateStatus(counted.object, { collisionCount: 1, replicas: 1, readyReplicas: 2 }).errors, [
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ]);
  });

  it('show ready and wanted replicas in tables', () => {
    const { object } = kind.create({ metadata: { name: 'x' }, spec: { ...equal, replicas: 3 } });
    object['status'] = { readyReplicas: 2, updatedReplicas: 1 };
    assert.deepEqual(kind.cells(object), ['x', '2/3', 1, 0, '<unknown>', 'c', 'nginx', 'app=a']);
  });
});

describe('DaemonSets', () => {
  const kind = new KindHarness(daemonSet, 'apps.v1.DaemonSet');
  const key = 'deprecated.daemonset.template.generation';
  const generation = (object: ApiObject) => object.metadata.annotations?.[key];

  it('count changes of their template in an annotation that clients cannot change', () => {
    const { object } = kind.create({ metadata: { name: 'x' }, spec: equal });
    assert.equal(generation(object), '1');
    assert.equal(generation(kind.update(object, { minReadySeconds: 5 }, { annotations: { [key]: '9' } }).object), '1');
    const other = { ...template, spec: { containers: [{ name: 'c', image: 'new' }] } };
    assert.equal(generation(kind.update(object, { template: other }, { annotations: {} }).object), '2');
  });

  it('refuse a template generation that is not a number', () => {
    for (const text of ['', 'x', '1.5', '99999999999999999999']) {
      const metadata = { name: 'x', annotations: { [key]: text } };
      assert.throws(() => kind.create({ metadata, spec: equal }), { code: 400 });
    }
  });

  it('report errors of a changed object twice', () => {
    const { object } = kind.create({ metadata: { name: 'x' }, spec: equal });
    const error = 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0';
    assert.deepEqual(kind.update(object, { minReadySeconds: -1 }, { namespace: 'n' }).errors, [error, error]);
  });
});

describe('StatefulSets', () => {
  const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Odd' } };
  const body = { metadata: { name: 'x' }, spec: { ...equal, ...policy } };

  it('lose fields whose gate is disabled', () => {
    const kind = new KindHarness(statefulSet, 'apps.v1.StatefulSet');
    const { object, errors } = kind.create(body);
    assert.deepEqual([errors, (object['spec'] as typeof policy).persistentVolumeClaimRetentionPolicy], [[], undefined]);
  });

  it('validate these fields if the gate is enabled', () => {
    const kind = new KindHarness(statefulSet, 'apps.v1.StatefulSet', ['StatefulSetAutoDeletePVC']);
    assert.deepEqual(kind.create(body).errors, [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Odd": supported values: "Retain", "Delete"',
    ]);
  });

  it('validate known annotations of their pod template', () => {
    const kind = new KindHarness(statefulSet, 'apps.v1.StatefulSet');
    const annotations = { [kind.context.naming.key('seccomp.security.alpha/pod')]: 'odd' };
    const labelled = { ...equal.template.metadata, annotations };
    const { errors } = kind.create({
      metadata: { namespace: 'n', name: 'x' },
      spec: { ...equal, template: { ...equal.template, metadata: labelled } },
    });
    assert.match(errors.join(), /^spec\.template\.annotations\.seccomp.*: must be a valid seccomp profile$/);
  });

  it('can change only some fields', () => {
    const kind = new KindHarness(statefulSet, 'apps.v1.StatefulSet');
    const { object } = kind.create({ metadata: { namespace: 'n', name: 'x' }, spec: equal });
    assert.deepEqual(kind.update(object, { replicas: 4, minReadySeconds: 1 }).errors, []);
    assert.match(
      kind.update(object, { revisionHistoryLimit: 4 }).errors.join(),
      /^spec: Forbidden: updates to statefulset/,
    );
  });
});
