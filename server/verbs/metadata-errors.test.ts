import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { versionKey } from '#schema/conversion/version-rules.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { kindRules } from '../kinds/index.ts';
import { validObjects } from '../kinds/testing/valid-objects.ts';
import { modelOf } from '../resources/message-model.ts';
import { metadataUpdateErrors, validateUpdate } from './validate.ts';

const naming = createNaming('orch');
const schema = loadSchema(naming);
const rules = kindRules({
  ...servicesOf(new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false })),
  eventTtlSeconds: 3600,
});

/** The paths of the errors of a change of some metadata, through a view or the object itself. */
async function errorsOf(message: string, changed: object, view?: string): Promise<(string | undefined)[]> {
  const type = schema.message(message);
  const { storage } = type.resource!;
  const stored = rules.get(storageId(storage!.group, storage!.plural))!;
  const served = {
    group: type.resource!.group,
    type: type.resource!,
    model: modelOf(type),
    stored: { namespaced: type.resource!.namespaced, rules: stored },
  } as unknown as StoredServedResource;
  const context = {
    naming,
    gates: createFeatureGates(new Map()),
    release: defaultRelease,
    user: { name: 'jane', uid: 'u1', groups: ['dev'], extra: {} },
    dryRun: false,
    now: '2020-01-01T00:00:00Z',
    group: type.resource!.group,
    version: type.resource!.version,
    warn: () => {},
  };
  const metadata = {
    name: 'x',
    resourceVersion: '1',
    uid: 'u',
    ...(type.resource!.namespaced ? { namespace: 'n' } : {}),
  };
  const sent = asObject(decodeObject(type, { ...validObjects[message], metadata } as JsonObject));
  const version = stored.versions?.[versionKey(type.resource!, stored)];
  fillDefaults(type, asJson(sent));
  version?.defaults?.(sent, context);
  const old = version?.toStorage?.(sent, context) ?? sent;
  stored.prepareForCreate?.(old, context);
  const object = cloneJson(old);
  Object.assign(object.metadata, changed);
  try {
    if (view === undefined) await validateUpdate(served, object, old, context);
    else
      return metadataUpdateErrors(served, object, old, context, stored.subresources?.[view]).map(({ field }) => field);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field }) => field);
  }
  return [];
}

const BAD_LABEL = { labels: { 'a b': 'c' } };

describe('an invalid label in an update', () => {
  const rows: [message: string, times: number][] = [
    ['core.v1.Event', 2],
    ['policy.v1.PodDisruptionBudget', 2],
    ['apps.v1.Deployment', 3],
    ['batch.v1.CronJob', 3],
    ['core.v1.LimitRange', 3],
    ['core.v1.PodTemplate', 3],
    ['internal.apiserver.v1alpha1.StorageVersion', 2],
    ['core.v1.ResourceQuota', 3],
    ['admissionregistration.v1.ValidatingWebhookConfiguration', 3],
    ['coordination.v1.Lease', 3],
    ['discovery.v1.EndpointSlice', 3],
    ['events.v1.Event', 3],
    ['flowcontrol.apiserver.v1beta2.FlowSchema', 3],
    ['flowcontrol.apiserver.v1beta2.PriorityLevelConfiguration', 3],
    ['scheduling.v1.PriorityClass', 3],
    ['storage.v1.CSIDriver', 3],
    ['apps.v1.ControllerRevision', 4],
    ['apps.v1.DaemonSet', 4],
    ['apps.v1.ReplicaSet', 4],
    ['apps.v1.StatefulSet', 4],
    ['batch.v1.Job', 4],
    ['core.v1.ConfigMap', 4],
    ['core.v1.Endpoints', 4],
    ['core.v1.Namespace', 4],
    ['core.v1.Node', 4],
    ['core.v1.PersistentVolume', 4],
    ['core.v1.Pod', 4],
    ['core.v1.Secret', 4],
    ['core.v1.ServiceAccount', 4],
    ['networking.v1.Ingress', 4],
    ['networking.v1.NetworkPolicy', 4],
    ['node.v1.RuntimeClass', 4],
    ['storage.v1.CSINode', 4],
    ['storage.v1.CSIStorageCapacity', 4],
    ['storage.v1.StorageClass', 4],
    ['storage.v1.VolumeAttachment', 4],
    ['core.v1.PersistentVolumeClaim', 5],
    ['rbac.authorization.v1.Role', 5],
  ];
  for (const [message, times] of rows) {
    it(`is reported ${times} times for a ${message}`, async () => {
      assert.deepEqual(
        await errorsOf(message, BAD_LABEL),
        Array.from({ length: times }, () => 'metadata.labels'),
      );
    });
  }

  const statuses: [message: string, times: number][] = [
    ['batch.v1.CronJob', 2],
    ['networking.v1.NetworkPolicy', 2],
    ['policy.v1.PodDisruptionBudget', 2],
    ['core.v1.ReplicationController', 3],
    ['apps.v1.StatefulSet', 3],
    ['batch.v1.Job', 3],
  ];
  for (const [message, times] of statuses) {
    it(`is reported ${times} times for the status of a ${message}`, async () => {
      assert.equal((await errorsOf(message, BAD_LABEL, 'status')).length, times);
    });
  }
});

describe('a finalizer without a domain in an update', () => {
  it('is refused if it is unknown', async () => {
    const error = 'metadata.finalizers[0]';
    assert.deepEqual(await errorsOf('core.v1.LimitRange', { finalizers: ['odd'] }), [error]);
  });

  for (const message of ['coordination.v1.Lease', 'node.v1.RuntimeClass']) {
    it(`is accepted in a ${message}`, async () =>
      assert.deepEqual(await errorsOf(message, { finalizers: ['odd'] }), []));
  }
});
