import { appsV1 } from '#client/generated/resources.ts';
import { replicasController } from './replicas-controller.ts';

/** Keeps as many pods of its template running as each replica set asks for. */
export const replicaSetController = replicasController({
  name: 'replicaset',
  account: 'replicaset-controller',
  type: appsV1.replicasets,
  selectorOf: ({ spec }) => spec?.selector,
  countsTerminatingSince: 35,
  workers: (flags) => flags.get('concurrent-replicaset-syncs'),
});
