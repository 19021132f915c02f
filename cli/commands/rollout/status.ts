import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError } from '../../framework/errors.ts';
import { revisionNumber } from './revisions.ts';

/** The progress of a rollout. It consists of a line of text, and whether the rollout is complete. */
export interface RolloutStatus {
  readonly text: string;
  readonly done: boolean;
}

interface Spec {
  readonly replicas?: number;
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
}

interface Status {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] | null;
}

/**
 * The progress of the rollout of a deployment, daemon set or stateful set.
 * @throws CommandError if the rollout can never end
 */
export function rolloutStatus(object: ApiObject, kind: string, revision: bigint, revisionKey: string): RolloutStatus {
  const { name = '', generation = 0, annotations } = object.metadata;
  const spec = (object['spec'] ?? {}) as Spec;
  const status = (object['status'] ?? {}) as Status;
  const observed = generation <= (status.observedGeneration ?? 0);
  switch (kind) {
    case 'Deployment': {
      const running = revisionNumber(annotations?.[revisionKey]);
      if (revision > 0n && revision !== running)
        throw new CommandError(`desired revision (${revision}) is different from the running revision (${running})`);
      return observed ? deploymentStatus(name, spec, status) : waiting('deployment spec update to be observed...');
    }
    case 'DaemonSet':
      if (spec.updateStrategy?.type === 'OnDelete') throw notRolling();
      return observed ? daemonSetStatus(name, status) : waiting('daemon set spec update to be observed...');
    default:
      if (spec.updateStrategy?.type === 'OnDelete') throw notRolling();
      return observed && status.observedGeneration
        ? statefulSetStatus(spec, status)
        : waiting('statefulset spec update to be observed...');
  }
}

const waiting = (what: string): RolloutStatus => ({ text: `Waiting for ${what}\n`, done: false });

const notRolling = () => new CommandError('rollout status is only available for RollingUpdate strategy type');

function deploymentStatus(name: string, { replicas: wanted = 1 }: Spec, status: Status): RolloutStatus {
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0, conditions } = status;
  const progress = conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.reason === 'ProgressDeadlineExceeded')
    throw new CommandError(`deployment ${JSON.stringify(name)} exceeded its progress deadline`);
  const lead = `deployment ${JSON.stringify(name)} rollout to finish:`;
  if (updated < wanted) return waiting(`${lead} ${updated} out of ${wanted} new replicas have been updated...`);
  if (replicas > updated) return waiting(`${lead} ${replicas - updated} old replicas are pending termination...`);
  if (available < updated) return waiting(`${lead} ${available} of ${updated} updated replicas are available...`);
  return { text: `deployment ${JSON.stringify(name)} successfully rolled out\n`, done: true };
}

function daemonSetStatus(name: string, status: Status): RolloutStatus {
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled: updated = 0, numberAvailable = 0 } = status;
  const lead = `daemon set ${JSON.stringify(name)} rollout to finish:`;
  if (updated < wanted) return waiting(`${lead} ${updated} out of ${wanted} new pods have been updated...`);
  if (numberAvailable < wanted) return waiting(`${lead} ${numberAvailable} of ${wanted} updated pods are available...`);
  return { text: `daemon set ${JSON.stringify(name)} successfully rolled out\n`, done: true };
}

function statefulSetStatus({ replicas: wanted = 1, updateStrategy }: Spec, status: Status): RolloutStatus {
  const { readyReplicas = 0, updatedReplicas = 0, currentRevision = '', updateRevision = '' } = status;
  if (readyReplicas < wanted) return waiting(`${wanted - readyReplicas} pods to be ready...`);
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  if (updateStrategy?.type === 'RollingUpdate' && partition > 0) {
    if (updatedReplicas < wanted - partition)
      return waiting(
        `partitioned roll out to finish: ${updatedReplicas} out of ${wanted - partition} new pods have been updated...`,
      );
    return {
      text: `partitioned roll out complete: ${updatedReplicas} new pods have been updated...\n`,
      done: true,
    };
  }
  if (updateRevision !== currentRevision)
    return waiting(`statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...`);
  return {
    text: `statefulset rolling update complete ${status.updatedReplicas ?? 0} pods at revision ${currentRevision}...\n`,
    done: true,
  };
}
