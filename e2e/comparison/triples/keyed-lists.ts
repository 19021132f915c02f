import type { JsonObject } from '#base/json/json-value.ts';
import { container, deployment, inContainer, inPods, named, object, type Triple } from './triple.ts';

const env = (...pairs: readonly string[]): JsonObject => ({
  env: pairs.map((pair) => ({ name: pair.split('=')[0]!, value: pair.split('=')[1]! })),
});
const service = (...ports: readonly JsonObject[]): JsonObject =>
  object('v1', 'Service', { spec: { selector: { app: 'a' }, ports: [...ports] } });
const webhooks = (...names: readonly string[]): JsonObject[] =>
  names.map((name) => ({
    ...{ name: `${name}.example.com`, sideEffects: 'None', admissionReviewVersions: ['v1'] },
    clientConfig: { url: 'https://127.0.0.1:1/' },
  }));
const hooks = (kind: string, ...names: readonly string[]) =>
  object('admissionregistration.k8s.io/v1', kind, { webhooks: webhooks(...names) });
const claim = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  persistentVolumeClaim: { claimName: name },
  ...rest,
});
const spread = (topologyKey: string, maxSkew: number): JsonObject => ({
  ...{ topologyKey, maxSkew, whenUnsatisfiable: 'DoNotSchedule' },
  labelSelector: { matchLabels: { app: 'a' } },
});
const driver = (name: string): JsonObject => ({ name, nodeID: `${name}-node`, topologyKeys: ['zone'] });
const owner = (name: string, uid: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
const owned = (...ownerReferences: readonly JsonObject[]): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ownerReferences: [...ownerReferences] } },
});
const rule = (text: string, message: string): JsonObject => ({ rule: text, message });
const definition = (...rules: readonly JsonObject[]): JsonObject =>
  object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    {
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'PLACE', kind: 'PLACE' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    ...{ type: 'object', properties: { a: { type: 'integer' } } },
                    'x-kubernetes-validations': [...rules],
                  },
                },
              },
            },
          },
        ],
      },
    },
    { name: 'PLACE.example.com' },
  );

/** Lists whose items have a key. */
export const keyedListTriples: readonly Triple[] = [
  {
    what: 'containers: changed and dropped beside an injected one',
    file: deployment({
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ],
    }),
    change: inPods({
      containers: [
        { name: 'injected', image: 'x' },
        { name: 'a', tty: true },
      ],
    }),
    next: deployment({ containers: [{ name: 'a', image: '2' }] }),
  },
  {
    what: 'containers: another order',
    file: deployment({ containers: named('a', 'b', 'c') }),
    next: deployment({ containers: named('c', 'a', 'b') }),
  },
  {
    what: 'containers: another order, and one is new in between',
    file: deployment({ containers: named('a', 'b') }),
    change: inPods({ containers: [{ name: 'injected', image: 'x' }] }),
    next: deployment({ containers: named('b', 'new', 'a') }),
  },
  {
    what: 'initContainers: another order',
    file: deployment({ initContainers: named('one', 'two', 'three') }),
    change: inPods({ initContainers: [{ name: 'injected', image: 'x' }] }),
    next: deployment({ initContainers: named('three', 'two', 'one') }),
  },
  {
    what: 'initContainers: all dropped',
    file: deployment({ initContainers: named('one', 'two') }),
    next: deployment({}),
  },
  {
    what: 'containers: one is replaced by another',
    file: deployment({ containers: named('a') }),
    next: deployment({ containers: named('b') }),
  },
  {
    what: 'env: changed, dropped and added beside that of others',
    file: container(env('A=1', 'B=1', 'C=1')),
    change: inContainer(env('X=others', 'A=others')),
    next: container(env('A=1', 'C=2', 'D=1')),
  },
  {
    what: 'env: another order',
    file: container(env('A=1', 'B=$(A)')),
    next: container(env('B=$(A)', 'A=1')),
  },
  {
    what: 'env: others have changed the order',
    file: container(env('A=1', 'B=1')),
    change: inContainer({ '$setElementOrder/env': [{ name: 'B' }, { name: 'A' }], ...env('B=1', 'A=1') }),
    next: container(env('A=1', 'B=1')),
  },
  {
    what: 'env: a value becomes a reference',
    file: container(env('A=1')),
    next: container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  },
  {
    what: 'env: none any more, beside that of others',
    file: container(env('A=1')),
    change: inContainer(env('X=others')),
    next: container({ env: [] }),
  },
  {
    what: 'ports of a container: another order',
    file: container({ ports: [{ containerPort: 80 }, { containerPort: 443, name: 'tls' }] }),
    next: container({
      ports: [
        { containerPort: 443, name: 'tls' },
        { containerPort: 80, hostPort: 80 },
      ],
    }),
  },
  {
    what: 'volumeMounts: changed and dropped',
    file: deployment({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'a',
          image: 'i',
          volumeMounts: [
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/b' },
          ],
        },
      ],
    }),
    change: inContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
    next: deployment({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [{ name: 'a', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/b', readOnly: true }] }],
    }),
  },
  {
    what: 'volumeDevices: dropped and added',
    file: deployment({
      volumes: [claim('one'), claim('two')],
      containers: [
        {
          name: 'a',
          image: 'i',
          volumeDevices: [
            { name: 'one', devicePath: '/a' },
            { name: 'two', devicePath: '/b' },
          ],
        },
      ],
    }),
    next: deployment({
      volumes: [claim('one'), claim('two')],
      containers: [
        {
          name: 'a',
          image: 'i',
          volumeDevices: [
            { name: 'two', devicePath: '/c' },
            { name: 'one', devicePath: '/a' },
          ],
        },
      ],
    }),
  },
  {
    what: 'imagePullSecrets beside those of others',
    file: deployment({ imagePullSecrets: [{ name: 'a' }, { name: 'b' }] }),
    change: inPods({ imagePullSecrets: [{ name: 'x' }] }),
    next: deployment({ imagePullSecrets: [{ name: 'c' }, { name: 'a' }] }),
  },
  {
    what: 'hostAliases: changed beside those of others',
    file: deployment({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }] }),
    change: inPods({ hostAliases: [{ ip: '10.0.0.9', hostnames: ['x'] }] }),
    next: deployment({
      hostAliases: [
        { ip: '10.0.0.1', hostnames: ['b'] },
        { ip: '10.0.0.2', hostnames: ['c'] },
      ],
    }),
  },
  {
    what: 'topologySpreadConstraints: changed and dropped',
    file: deployment({ topologySpreadConstraints: [spread('zone', 1), spread('host', 1)] }),
    next: deployment({ topologySpreadConstraints: [spread('host', 2)] }),
  },
  {
    what: 'secrets of a service account beside those of others',
    file: object('v1', 'ServiceAccount', {
      secrets: [{ name: 'a' }, { name: 'b' }],
      imagePullSecrets: [{ name: 'p' }],
    }),
    change: { secrets: [{ name: 'x' }] },
    next: object('v1', 'ServiceAccount', { secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'q' }] }),
  },
  {
    what: 'ports of a service: another order, and one is dropped',
    file: service({ name: 'a', port: 80 }, { name: 'b', port: 81 }, { name: 'c', port: 82 }),
    change: { spec: { ports: [{ name: 'x', port: 99 }] } },
    next: service({ name: 'c', port: 82, targetPort: 8082 }, { name: 'a', port: 80 }),
  },
  {
    what: 'a port of a service gets another number',
    file: service({ name: 'a', port: 80 }),
    next: service({ name: 'a', port: 81 }),
  },
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => ({
    what: `webhooks of a ${kind}: a bundle that others have put in stays`,
    file: hooks(kind, 'a', 'b'),
    change: {
      webhooks: [{ name: 'b.example.com', timeoutSeconds: 3, namespaceSelector: { matchLabels: { x: 'y' } } }],
    },
    next: hooks(kind, 'c', 'b'),
  })),
  {
    what: 'drivers of a node',
    file: object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [driver('a'), driver('b')] } }),
    change: { spec: { drivers: [driver('x')] } },
    next: object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [driver('b')] } }),
  },
  {
    what: 'owners',
    file: owned(owner('a', '00000000-0000-0000-0000-00000000000a'), owner('b', '00000000-0000-0000-0000-00000000000b')),
    change: { metadata: { ownerReferences: [owner('x', '00000000-0000-0000-0000-000000000000')] } },
    next: owned(owner('b', '00000000-0000-0000-0000-00000000000b')),
  },
  {
    what: 'validations of a definition',
    file: definition(rule('self.a > 1', 'one'), rule('self.a < 9', 'two')),
    next: definition(rule('self.a < 9', 'changed'), rule('self.a != 5', 'new')),
  },
];
