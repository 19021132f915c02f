// package.e2e.ts compiles this file against the packed client. Each line that is marked as an error must be an error.
import type {
  ApiObject,
  Client,
  DiscoveredType,
  JsonPatchStep,
  List,
  MetadataObject,
  ResourceClient,
  WatchEvent,
} from '@orch/client';
import {
  type AppsV1,
  appsV1,
  type CoreV1,
  coreV1,
  type RbacAuthorizationV1,
  rbacAuthorizationV1,
} from '@orch/client/kinds';

/** True if two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : ['these types differ']): void {}

declare const client: Client;
declare const found: DiscoveredType;
const maps = client.resource(coreV1.configmaps);
const pods = client.resource(coreV1.pods).in('default');
const deployments = client.resource(appsV1.deployments);
const any = client.resource(found);

export async function kinds(): Promise<void> {
  same<typeof maps, ResourceClient<CoreV1.ConfigMap>>();
  same<typeof any, ResourceClient<ApiObject>>();
  const pod = await pods.get('a');
  same<typeof pod, CoreV1.Pod>();
  const list = await deployments.list();
  same<typeof list, List<AppsV1.Deployment>>();
  const reduced = await pods.metadataOnly().get('a');
  same<typeof reduced, MetadataObject>();
  for await (const event of await maps.watch()) same<typeof event, WatchEvent<CoreV1.ConfigMap>>();
  for await (const page of pods.pages({ limit: 500 })) same<typeof page, List<CoreV1.Pod>>();
  const patched = await pods.patch('a', 'merge', {});
  same<typeof patched, CoreV1.Pod>();
  // @ts-expect-error a pod has no such field
  pod.spec?.nodeNam;
  // @ts-expect-error replicas are a number
  await deployments.create({ metadata: {}, spec: { replicas: '1', selector: {}, template: {} } });
  // @ts-expect-error objects have metadata
  await maps.create({ data: {} });
  await any.create({ metadata: { name: 'a' }, whatever: 1 });
}

export async function patches(): Promise<void> {
  await maps.patch('a', 'merge', { metadata: { labels: { a: null } }, data: { b: 'c', d: null } });
  await maps.patch('a', 'merge', { data: null });
  // @ts-expect-error a config map has no such field
  await maps.patch('a', 'merge', { dat: {} });
  // @ts-expect-error its values are texts
  await maps.patch('a', 'merge', { data: { b: 1 } });
  // @ts-expect-error a merge patch replaces a whole list, so each item must be complete
  await pods.patch('a', 'merge', { spec: { containers: [{ image: 'i' }] } });
  await deployments.patch('a', 'strategic', {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], $retainKeys: ['containers'] } } },
  });
  await pods.patch('a', 'strategic', { spec: { containers: [{ name: 'c', $patch: 'delete' }] } });
  await pods.patch('a', 'strategic', { spec: { '$setElementOrder/containers': [{ name: 'c' }] } });
  // @ts-expect-error there is no such directive
  await pods.patch('a', 'strategic', { spec: { $patch: 'remove' } });
  const steps: JsonPatchStep[] = [
    { op: 'test', path: '/data/a', value: 'b' },
    { op: 'move', from: '/data/a', path: '/data/c' },
  ];
  await maps.patch('a', 'json', steps);
  // @ts-expect-error a JSON patch is a list of steps
  await maps.patch('a', 'json', { data: {} });
  // @ts-expect-error a step that adds has a value
  await maps.patch('a', 'json', [{ op: 'add', path: '/data/a' }]);
  // @ts-expect-error there is no such form
  await maps.patch('a', 'apply', {});
  await any.patch('a', 'merge', { whatever: { at: ['all'] } });
}

export async function applied(): Promise<void> {
  const by = { fieldManager: 'example' };
  await deployments.apply({ metadata: { name: 'a' }, spec: { replicas: 2 } }, by);
  await deployments.apply(
    { metadata: { name: 'a' }, spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
    { ...by, force: true },
  );
  const role: RbacAuthorizationV1.ClusterRole = { metadata: { name: 'a' }, rules: null };
  await client.resource(rbacAuthorizationV1.clusterroles).apply({ ...role, metadata: { name: 'a' } }, by);
  // @ts-expect-error an applied object has a name
  await deployments.apply({ metadata: {}, spec: {} }, by);
  // @ts-expect-error a deployment has no such field
  await deployments.apply({ metadata: { name: 'a' }, spec: { replica: 2 } }, by);
  // @ts-expect-error a config map has no such field at the top
  await deployments.apply({ metadata: { name: 'a' }, spek: {} }, by);
  // @ts-expect-error an apply names its manager
  await deployments.apply({ metadata: { name: 'a' } }, {});
}

export async function options(): Promise<void> {
  await pods.list({ labelSelector: 'a=b', limit: 10, resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' });
  await pods.delete('a', { preconditions: { uid: 'u' }, propagationPolicy: 'Background', gracePeriodSeconds: 0 });
  // @ts-expect-error a limit is a number
  await pods.list({ limit: '10' });
  // @ts-expect-error there is no such policy
  await pods.delete('a', { propagationPolicy: 'Now' });
  // @ts-expect-error there is no such level
  await maps.create({ metadata: { name: 'a' } }, { fieldValidation: 'strict' });
  // @ts-expect-error a page has a limit
  pods.pages({});
}
