import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from './load.ts';
import { openapiName } from './openapi-name.ts';
import type { FieldType, MessageType, ResourceType } from './types.ts';

const schema = loadSchema();

function field(message: string, name: string): FieldType {
  const found = schema.message(message).byJsonName.get(name);
  assert.ok(found, `${message}.${name}`);
  return found;
}

function resource(message: string): ResourceType {
  const found = schema.message(message).resource;
  assert.ok(found, message);
  return found;
}

describe('loadSchema', () => {
  it('builds one schema for each naming and caches it', () => {
    assert.equal(loadSchema(), loadSchema(createNaming('orch')));
    assert.notEqual(loadSchema(), loadSchema(createNaming('kubernetes')));
  });

  it('refuses names that do not exist', () => {
    assert.throws(() => schema.message('core.v1.Nothing'), /no message core\.v1\.Nothing/);
    assert.equal(schema.kind('apps', 'v9', 'Deployment'), undefined);
  });

  it('lists group versions in discovery order, preferred versions first', () => {
    const order = schema.groupVersions.map(({ group, version }) => `${group}/${version}`);
    assert.equal(order.length, 26);
    assert.deepEqual(order.slice(0, 4), ['/v1', 'apiregistration/v1', 'apps/v1', 'events/v1']);
    assert.deepEqual(
      order.filter((name) => name.startsWith('autoscaling/')),
      ['autoscaling/v2', 'autoscaling/v1', 'autoscaling/v2beta2'],
    );
    assert.deepEqual(
      schema.groupVersions.filter((gv) => !gv.enabledByDefault).map(({ group, version }) => `${group}/${version}`),
      ['networking/v1alpha1', 'internal.apiserver/v1alpha1'],
    );
    assert.deepEqual(schema.groupVersions[0]?.priority, { group: 18000, version: 1 });
  });

  it('finds kinds, including kinds that have no resource', () => {
    const table: [group: string, version: string, kind: string, message: string][] = [
      ['', 'v1', 'Pod', 'core.v1.Pod'],
      ['', 'v1', 'PodList', 'core.v1.PodList'],
      ['', 'v1', 'Status', 'meta.v1.Status'],
      ['apps', 'v1', 'DeleteOptions', 'meta.v1.DeleteOptions'],
      ['meta', 'v1', 'PartialObjectMetadata', 'meta.v1.PartialObjectMetadata'],
      ['admission', 'v1', 'AdmissionReview', 'admission.v1.AdmissionReview'],
      ['rbac.authorization', 'v1', 'Role', 'rbac.authorization.v1.Role'],
    ];
    for (const [group, version, kind, message] of table)
      assert.equal(schema.kind(group, version, kind)?.name, message, `${group}/${version} ${kind}`);
  });

  it('gives every message unique field numbers and names, and every field a known type', () => {
    for (const message of schema.messages.values()) {
      const numbers = message.fields.map((f) => f.number).filter((n) => n !== undefined);
      assert.equal(new Set(numbers).size, numbers.length, message.name);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
        message.name,
      );
      assert.equal(message.byJsonName.size, message.jsonFields.length, message.name);
      for (const f of message.fields) {
        assert.ok((f.scalar === undefined) !== (f.message === undefined), `${message.name}.${f.name}`);
        if (f.message) assert.equal(schema.message(f.message.name), f.message);
      }
    }
  });

  it('gives every resource a message with metadata and a storage version that exists', () => {
    for (const { resources } of schema.groupVersions) {
      assert.ok(resources.length > 0);
      for (const r of resources) {
        assert.ok(r.message.typeMeta && r.message.byJsonName.has('metadata'), r.message.name);
        assert.equal(schema.kind(r.group, r.version, r.kind), r.message);
        if (r.storage) assert.ok(schema.kind(r.storage.group, r.storage.version, r.kind), r.message.name);
        for (const sub of r.subresources)
          assert.ok(schema.kind(sub.group ?? r.group, sub.version ?? r.version, sub.kind), `${r.plural}/${sub.name}`);
      }
    }
  });

  it('reads the options of fields', () => {
    assert.deepEqual(field('core.v1.PodSpec', 'containers').patchMergeKey, 'name');
    assert.deepEqual(field('core.v1.PodSpec', 'volumes').patchStrategy, ['merge', 'retainKeys']);
    assert.deepEqual(field('core.v1.Container', 'ports').listMapKeys, ['containerPort', 'protocol']);
    assert.equal(field('core.v1.ContainerPort', 'protocol').default, 'TCP');
    assert.equal(field('core.v1.PodSpec', 'nodeSelector').mapType, 'atomic');
    assert.equal(field('core.v1.Secret', 'data').format, 'byte');
    assert.deepEqual(field('apps.v1.DeploymentStrategy', 'type').enum, ['Recreate', 'RollingUpdate']);
    assert.deepEqual(field('core.v1.HostPathVolumeSource', 'type').enum?.slice(0, 2), ['', 'BlockDevice']);
    assert.equal(field('core.v1.HostPathVolumeSource', 'type').enumPublished, false);
    assert.equal(field('apps.v1.DeploymentSpec', 'replicas').pointer, true);
    assert.equal(field('apps.v1.DeploymentSpec', 'selector').pointer, true);
    assert.equal(field('apps.v1.DeploymentSpec', 'selector').default, undefined);
    assert.equal(field('apps.v1.DeploymentSpec', 'template').pointer, false);
    const replicas = field('apps.v1.ReplicaSetStatus', 'replicas');
    assert.deepEqual([replicas.required, replicas.omitempty, replicas.default], [true, false, 0]);
    assert.equal(field('meta.v1.TableRow', 'cells').scalar, 'any');
    assert.equal(field('meta.v1.TableRow', 'cells').number, undefined);
  });

  it('expands inline messages and keeps their wire names', () => {
    const volume = schema.message('core.v1.Volume');
    assert.deepEqual(
      volume.fields.map((f) => [f.name, f.inline]),
      [
        ['name', false],
        ['volumeSource', true],
      ],
    );
    assert.ok(volume.byJsonName.has('hostPath') && !volume.byJsonName.has('volumeSource'));
    assert.equal(field('authentication.v1.BoundObjectReference', 'uid').wireName, 'uID');
    assert.equal(field('apiextensions.v1.JSONSchemaProps', '$ref').wireName, 'ref');
  });

  it('names schema extensions according to the naming', () => {
    const naming = createNaming('kubernetes');
    const props: MessageType = loadSchema(naming).message('apiextensions.v1.JSONSchemaProps');
    assert.ok(props.byJsonName.has(`${naming.extensionPrefix}list-type`));
  });

  it('reads the names, columns and subresources of resources', () => {
    const pods = resource('core.v1.Pod');
    assert.deepEqual([pods.plural, pods.namespaced, pods.shortNames, pods.categories], ['pods', true, ['po'], ['all']]);
    assert.equal(pods.columns.length, 9);
    const { description, ...name } = pods.columns[0]!;
    assert.deepEqual(name, { name: 'Name', type: 'string', format: 'name', priority: 0 });
    assert.match(description!, /^The name of the object/);
    assert.deepEqual(
      pods.subresources.find((s) => s.name === 'eviction'),
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    );
    assert.ok(pods.selectableFields.includes('spec.nodeName'));
    assert.deepEqual(resource('events.v1.Event').storage, { group: '', plural: 'events', version: 'v1' });
    assert.deepEqual(resource('autoscaling.v1.HorizontalPodAutoscaler').storage?.version, 'v2');
    assert.equal(resource('authorization.v1.SubjectAccessReview').storage, undefined);
    assert.equal(resource('core.v1.Node').namespaceSelectable, false);
    assert.equal(resource('apps.v1.Deployment').generation, 'spec-and-annotations');
  });

  it('writes the deprecation warning of a version', () => {
    assert.equal(resource('core.v1.ComponentStatus').deprecation, 'v1 ComponentStatus is deprecated in v1.19+');
    assert.equal(
      resource('autoscaling.v2beta2.HorizontalPodAutoscaler').deprecation,
      'autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; ' +
        'use autoscaling/v2 HorizontalPodAutoscaler',
    );
    const flows = resource('flowcontrol.apiserver.v1beta2.FlowSchema');
    assert.deepEqual([flows.deprecation, flows.removedRelease], [undefined, '1.29']);
  });

  it('names the schemas in OpenAPI documents', () => {
    const naming = createNaming('kubernetes');
    const domain = naming.group('meta').split('.').slice(1).reverse().join('.');
    assert.equal(openapiName(schema.message('core.v1.Pod'), naming), `${domain}.api.core.v1.Pod`);
    assert.equal(
      openapiName(schema.message('apiregistration.v1.APIService'), naming),
      `${domain}.${naming.prefixed('aggregator')}.pkg.apis.apiregistration.v1.APIService`,
    );
  });
});
