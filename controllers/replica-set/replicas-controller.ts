import { isConflict } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type Informer, keyOf, splitKey } from '#client/informer/informer.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ReplicaSetStatus } from '#schema/generated/apps.v1.ts';
import type { Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Controller, controller, type ManagerFlags, need } from '../controller.ts';
import { candidatesOf, claim } from '../pods/claim.ts';
import { byDeletion } from '../pods/deletion-order.ts';
import { Expectations, upToDate } from '../pods/expectations.ts';
import { onClaimed } from '../pods/on-claimed.ts';
import { byController, controllerOf, controllerReference } from '../pods/owners.ts';
import { isActive, STATE_FIELDS } from '../pods/pod-state.ts';
import { PodWriter, podOf } from '../pods/pod-writer.ts';
import { BEHIND_MS } from '../pods/reconcile-copy.ts';
import { slowStart } from '../pods/slow-start.ts';
import { SOON_MS } from '../pods/soon.ts';
import { writeStatus } from '../pods/write-status.ts';
import { serverRelease } from '../server-release.ts';
import { type Replicated, replicaStatus } from './replica-status.ts';

/** The largest number of pods to create or delete for one object before the controller checks the object again. */
const BURST = 500;

/** The common fields of objects of both kinds. */
interface Spec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly template?: PodTemplateSpec;
}

type Replicas = ApiObject & { spec?: Spec; status?: ReplicaSetStatus };

/** The differences between kinds whose objects keep a number of equal pods. */
export interface ReplicasKind<T extends Replicas> {
  readonly name: string;
  readonly account: string;
  readonly type: ResourceType<T>;
  readonly selectorOf: (object: T) => LabelSelector | null | undefined;
  /** The release since which the status shows the number of pods that are being deleted. By default no release does. */
  readonly countsTerminatingSince?: number;
  /** How many objects are worked on at once. */
  readonly workers: (flags: ManagerFlags) => number;
}

/** A controller that keeps as many pods of a template running as each object of a kind asks for. */
export function replicasController<T extends Replicas>(kind: ReplicasKind<T>): Controller {
  const { name, account, type, selectorOf, countsTerminatingSince, workers } = kind;
  return controller({
    name,
    account,
    needs: [need(type, { fields: ['spec', 'status'] }), need(coreV1.pods, { fields: STATE_FIELDS })],

    async start(term) {
      const { client, events, informer, queue, flags, log, naming, signal, now } = term;
      const copies = informer(type);
      const pods = informer(coreV1.pods);
      const expectations = new Expectations(term, [coreV1.pods, type]);
      const release = serverRelease(term.reader);
      await upToDate(term, [type, coreV1.pods]);

      const keys = queue(
        async (key) => {
          await expectations.seen(key);
          const copy = copies.get(key);
          if (copy === undefined) return undefined;
          const { namespace, name: own } = splitKey(key);
          const writing = expectations.client(key);
          const active = await claim(candidatesOf(pods, copy, selectorOf(copy)).filter(isActive), {
            owner: copy,
            selector: selectorOf(copy),
            reference: controllerReference(type, copy, naming),
            live: () => client.resource(type).in(namespace).get(own),
            claimed: writing.resource(coreV1.pods).in(namespace),
          });
          const spec: Spec = copy.spec ?? {};
          const writer = new PodWriter(type, copy, writing, events);
          const missing = (spec.replicas ?? 1) - active.length;
          let failure: Replicated['failure'];
          let thrown: unknown;
          if (missing !== 0 && !copy.metadata.deletionTimestamp) {
            const count = Math.min(Math.abs(missing), BURST);
            const doomed =
              missing > 0 ? [] : byDeletion(active, { naming, now: now(), related: related(copy, copies, pods) });
            const pod = podOf(type, copy, spec.template ?? {}, naming);
            const step = missing > 0 ? () => writer.create(pod) : (i: number) => writer.delete(doomed[i]!);
            const result = await slowStart(count, step);
            thrown = result.failure;
            if (result.done > 0) {
              log.info({ namespace, name: own, count: result.done }, missing > 0 ? 'created pods' : 'deleted pods');
              // These are counted when the copy shows them.
              if (thrown === undefined) return { afterMs: 0 };
            }
            if (isConflict(thrown)) return { afterMs: BEHIND_MS };
            if (thrown !== undefined)
              failure = {
                reason: missing > 0 ? 'FailedCreate' : 'FailedDelete',
                message: (thrown as Error).message,
              };
          }
          const counting = countsTerminatingSince !== undefined && (await release()).atLeast(countsTerminatingSince);
          const { status, nextInMs } = replicaStatus({
            generation: copy.metadata.generation ?? 0,
            minReadySeconds: spec.minReadySeconds ?? 0,
            templateLabels: spec.template?.metadata?.labels,
            before: copy.status,
            pods: active,
            terminating: counting
              ? pods.find(byController, copy.metadata.uid!).filter(({ metadata }) => metadata.deletionTimestamp).length
              : undefined,
            failure,
            now: now(),
          });
          try {
            await writeStatus(writing, type, copy, status);
          } catch (error) {
            if (!isConflict(error)) throw error;
            return { afterMs: BEHIND_MS };
          }
          if (thrown !== undefined) throw thrown;
          return nextInMs === undefined ? undefined : { afterMs: nextInMs };
        },
        { workers: workers(flags) },
      );
      const changed = (object: T) => keys.add(keyOf(object));
      copies.on({ added: changed, updated: changed }, signal);
      onClaimed(pods, { type, copy: copies, selectorOf }, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    },
  });
}

/**
 * The pods of all objects that do the same work. If there is a deployment, these are all its pods, and otherwise the
 * object's own pods.
 */
function related<T extends Replicas>(owner: T, copies: Informer<T>, pods: Informer<Pod>): Pod[] {
  const above = controllerOf(owner);
  const same = above === undefined ? [owner] : copies.find(byController, above.uid);
  return same.flatMap(({ metadata }) => pods.find(byController, metadata.uid!)).filter(isActive);
}
