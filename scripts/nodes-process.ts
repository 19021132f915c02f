import type { Naming } from '#base/naming/naming.ts';
import { apiRequest } from './api-request.ts';
import { clientFlags } from './client-flags.ts';
import type { Pki } from './pki.ts';

/** The user in the connection file of simulated nodes, and the role with its permissions. */
const USER = 'simulated-nodes';

export interface NodesPlace {
  /** Port of the API server on this machine. */
  readonly apiPort: number;
  readonly nodes: number;
}

/** The flags of simulated nodes that use a PKI folder, in which they get their connection file. */
export function nodesProcessFlags(naming: Naming, pki: Pki, { apiPort, nodes }: NodesPlace): string[] {
  return [...clientFlags(naming, pki, USER, `${USER}.conf`, apiPort), `--nodes=${nodes}`];
}

/** Grants simulated nodes their permissions: to read pods and nodes, and to act as each of their nodes. */
export async function allowNodes(naming: Naming, pki: Pki, { apiPort, nodes }: NodesPlace): Promise<void> {
  const group = naming.group('rbac.authorization');
  const path = `/apis/${group}/v1`;
  const users = Array.from({ length: nodes }, (_, i) => `system:node:node-${i}`);
  const rules = [
    { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['groups'], resourceNames: ['system:nodes'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['users'], resourceNames: users, verbs: ['impersonate'] },
    // to serve metrics through the API server
    { apiGroups: [''], resources: ['services'], resourceNames: [USER], verbs: ['create', 'patch'] },
    {
      apiGroups: [naming.group('apiregistration')],
      resources: ['apiservices'],
      resourceNames: [`v1beta1.${naming.group('metrics')}`],
      verbs: ['get', 'create', 'patch'],
    },
  ];
  const role = { metadata: { name: USER }, rules };
  const binding = {
    metadata: { name: USER },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: USER },
    subjects: [{ apiGroup: group, kind: 'User', name: USER }],
  };
  for (const [plural, object] of [
    ['clusterroles', role],
    ['clusterrolebindings', binding],
  ] as const) {
    let answer = await apiRequest(pki, apiPort, 'POST', `${path}/${plural}`, object);
    if (answer.status === 409) answer = await apiRequest(pki, apiPort, 'PATCH', `${path}/${plural}/${USER}`, object);
    if (answer.status >= 300) throw new Error(`the role of simulated nodes was not stored: ${answer.body}`);
  }
}
