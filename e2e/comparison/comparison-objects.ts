import type { ApiObject } from '#schema/objects/api-object.ts';

/** Makes an object with the other program, and resolves to the object on the server. */
type Make = (object: object) => Promise<ApiObject>;

/** Makes a deployment, a daemon set and a stateful set in the namespace `roll`, each with two revisions. */
export async function makeRevisions(make: Make): Promise<void> {
  await make({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'roll' } });
  const selector = { matchLabels: { app: 'web' } };
  const template = (image: string) => ({
    metadata: { labels: { app: 'web' }, annotations: { q: 'r' } },
    spec: {
      containers: [
        {
          name: 'c',
          image,
          command: ['a', 'b'],
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
          resources: { limits: { cpu: '1' } },
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  });
  const named = (name: string, more: object = {}) => ({ name, namespace: 'roll', ...more });
  const owned = (name: string, { kind, metadata: { name: owner, uid } }: ApiObject, more: object) =>
    named(name, {
      labels: { app: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid, controller: true }],
      ...more,
    });
  for (const kind of ['Deployment', 'DaemonSet', 'StatefulSet']) {
    const more = kind === 'StatefulSet' ? { serviceName: 'x' } : {};
    const key = 'deployment.kubernetes.io/revision';
    const own = kind === 'Deployment' ? { annotations: { [key]: '2' } } : {};
    const name = kind.toLowerCase();
    const owner = await make({
      ...{ kind, apiVersion: 'apps/v1', metadata: named(name, own) },
      spec: { selector, template: template('image:2'), ...more },
    });
    for (const revision of [1, 2]) {
      const of = template(`image:${revision}`);
      const cause = revision === 1 ? { 'kubernetes.io/change-cause': 'the first' } : {};
      const annotations = { [key]: String(revision), ...cause };
      if (kind === 'Deployment')
        await make({
          ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1' },
          metadata: owned(`${name}-${revision}`, owner, { annotations }),
          spec: { replicas: 0, selector, template: of },
        });
      else
        await make({
          ...{ kind: 'ControllerRevision', apiVersion: 'apps/v1', revision },
          metadata: owned(`${name}-${revision}`, owner, { annotations: cause }),
          data: { spec: { template: { $patch: 'replace', ...of } } },
        });
    }
  }
}

/** Makes metrics of two pods in the namespace `one` and of a node. They are stored as custom resources. */
export async function makeMetrics(make: Make): Promise<void> {
  const group = 'metrics.k8s.io';
  const window = { timestamp: '2026-01-01T00:00:00Z', window: '30s' };
  for (const one of ['pod', 'node']) {
    const kind = one === 'pod' ? 'PodMetrics' : 'NodeMetrics';
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await make({
      ...{ kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1' },
      metadata: { name: `${one}s.${group}`, annotations: { 'api-approved.kubernetes.io': 'https://example.com' } },
      spec: {
        ...{ group, scope: one === 'pod' ? 'Namespaced' : 'Cluster' },
        names: { plural: `${one}s`, singular: one, kind, listKind: `${kind}List` },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
      },
    });
  }
  const apiVersion = `${group}/v1beta1`;
  const pods = {
    p1: [
      { name: 'b', usage: { cpu: '1500u', memory: '20Mi' } },
      { name: 'a', usage: { cpu: '12345678n', memory: '1000Ki' } },
    ],
    alone: [{ name: 'c', usage: { cpu: '2', memory: '2Gi' } }],
  };
  for (const [name, containers] of Object.entries(pods))
    await make({ kind: 'PodMetrics', apiVersion, metadata: { name, namespace: 'one' }, ...window, containers });
  const usage = { cpu: '250m', memory: '3Gi' };
  await make({ kind: 'NodeMetrics', apiVersion, metadata: { name: 'open' }, ...window, usage });
}
