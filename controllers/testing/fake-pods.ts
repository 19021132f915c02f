import { coreV1 } from '#client/generated/resources.ts';
import type { FakeServer } from '#client/testing/fake-server.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

/**
 * Makes a pod of a fake server run, on the node that it names or on any node. It is ready or not ready since a moment.
 */
export function setReady(
  server: FakeServer,
  { metadata: { name = '', namespace }, spec }: Pod,
  ready = true,
  ms = Date.now(),
): void {
  const pod = server.get(coreV1.pods, name, namespace);
  if (pod === undefined) return;
  const lastTransitionTime = new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  server.put(coreV1.pods, {
    ...pod,
    spec: { containers: [], ...pod.spec, nodeName: spec?.nodeName ?? 'node' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }],
    },
  });
}
