import { coreV1 } from '#client/generated/resources.ts';
import { replicasController } from '../replica-set/replicas-controller.ts';

/** Keeps as many pods of its template running as each replication controller asks for. */
export const replicationController = replicasController({
  name: 'replicationcontroller',
  account: 'replication-controller',
  type: coreV1.replicationcontrollers,
  selectorOf: ({ spec }) => ({ matchLabels: spec?.selector ?? {} }),
  workers: (flags) => flags.get('concurrent-rc-syncs'),
});
