import { type Conversations, is, names } from '../conversation.ts';
import { DEPLOYMENTS, MAPS, MERGE, map, NS, POD, RBAC } from './request-parts.ts';

const LABELS = { app: 'a' };

const DEPLOYMENT = {
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, ...POD } },
};

export const PATHS: Conversations = {
  'core types are collections at /api/v1/TYPE': [['GET /api/v1/nodes', 200, is('kind', 'NodeList')]],
  'core objects are at /api/v1/TYPE/NAME': [['GET /api/v1/namespaces/default', 200, is('metadata.name', 'default')]],
  'namespaced core types are at /api/v1/namespaces/NAMESPACE/TYPE': [
    [`POST ${MAPS}`, 201, [], map('here')],
    ['POST /api/v1/namespaces/orch-public/configmaps', 201, [], map('there')],
    [`GET ${MAPS}`, 200, names('here')],
  ],
  'namespaced core objects are at /api/v1/namespaces/NAMESPACE/TYPE/NAME': [
    [`GET ${MAPS}/here`, 200, is('metadata.namespace', 'default')],
    [`GET ${MAPS}/there`, 404],
  ],
  'cluster-scoped types of groups are at /apis/GROUP/VERSION/TYPE': [
    [`GET ${RBAC}/clusterroles/view`, 200, is('kind', 'ClusterRole')],
    [`GET ${RBAC}/clusterroles`, 200, is('kind', 'ClusterRoleList')],
  ],
  'namespaced types of groups are at /apis/GROUP/VERSION/namespaces/NAMESPACE/TYPE': [
    [`POST ${DEPLOYMENTS}`, 201, [], { body: DEPLOYMENT }],
    [`GET ${DEPLOYMENTS}`, 200, names('web')],
    [`GET ${DEPLOYMENTS}/web`, 200, is('metadata.namespace', 'default')],
  ],
  'sub-resources follow the path of their object': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200, is('kind', 'Scale')],
    [`GET ${DEPLOYMENTS}/web/status`, 200, is('kind', 'Deployment')],
    [`GET ${DEPLOYMENTS}/web/nothing`, 404],
  ],
  'without a namespace the objects of all namespaces are listed': [
    ['GET /api/v1/configmaps?fieldSelector=metadata.namespace!%3Dorch-system', 200, names('here', 'there')],
  ],
  'namespaces are listed and read as a cluster-scoped type': [
    ['GET /api/v1/namespaces', 200, [is('kind', 'NamespaceList'), '"name":"orch-system"', '"name":"orch-public"']],
    ['GET /api/v1/namespaces/orch-system', 200, [is('kind', 'Namespace'), is('metadata.namespace', undefined)]],
  ],
  'a sub-resource cannot be requested for several objects': [
    [`GET ${DEPLOYMENTS}/scale`, 404],
    ['GET /api/v1/pods/status', 404],
    ['GET /apis/apps/v1/deployments/web/scale', 404],
  ],
  'verbs differ between sub-resources': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200],
    [`POST ${DEPLOYMENTS}/web/scale`, 405],
    [`POST ${NS}/pods`, 201, [], { body: { metadata: { name: 'p' }, ...POD } }],
    [`GET ${NS}/pods/p/eviction`, 405],
    [`PUT ${NS}/pods/p/log`, 405],
    [`DELETE ${DEPLOYMENTS}/web/status`, 405],
  ],
  'pods have logs': [
    // The pod runs on no node, so there is no log.
    [`GET ${NS}/pods/p/log`, 204],
    [`GET ${NS}/pods/nosuch/log`, 404],
  ],
  'pods are evicted through the API': [
    [
      `POST ${NS}/pods/p/eviction`,
      201,
      [],
      { body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } } },
    ],
    [`GET ${NS}/pods/p`, 404],
  ],
  'a scale shows and sets how many replicas a workload has': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200, [is('kind', 'Scale'), is('spec.replicas', 1)]],
    [
      `PATCH ${DEPLOYMENTS}/web/scale`,
      200,
      is('spec.replicas', 3),
      { headers: MERGE, body: { spec: { replicas: 3 } } },
    ],
    [`GET ${DEPLOYMENTS}/web`, 200, is('spec.replicas', 3)],
  ],
  'the status is updated through its own sub-resource': [
    [
      `PATCH ${DEPLOYMENTS}/web/status`,
      200,
      [is('status.readyReplicas', 1), is('spec.replicas', 3)],
      { headers: MERGE, body: { status: { replicas: 1, readyReplicas: 1 }, spec: { replicas: 9 } } },
    ],
    [
      `PATCH ${DEPLOYMENTS}/web`,
      200,
      is('status.readyReplicas', 1),
      { headers: MERGE, body: { status: { replicas: 2, readyReplicas: 2 } } },
    ],
  ],
};
