import { isAlreadyExists, isNotFound } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { byNamespace, type Informer, keyOf } from '#client/informer/informer.ts';
import type { ControllerRevision, StatefulSet } from '#schema/generated/apps.v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { countOf } from '#schema/values/int-or-string.ts';
import { controller, need, type Term } from '../controller.ts';
import { candidatesOf, claim } from '../pods/claim.ts';
import { Expectations, upToDate } from '../pods/expectations.ts';
import { onClaimed } from '../pods/on-claimed.ts';
import { controllerReference } from '../pods/owners.ts';
import { STATE_FIELDS } from '../pods/pod-state.ts';
import { PodWriter } from '../pods/pod-writer.ts';
import { reconcileCopy } from '../pods/reconcile-copy.ts';
import { deleteRevisions, presentRevision, superfluous } from '../pods/revisions.ts';
import { slowStart } from '../pods/slow-start.ts';
import { SOON_MS } from '../pods/soon.ts';
import { REVISION_HASH } from '../pods/template-hash.ts';
import { writeStatus } from '../pods/write-status.ts';
import { isOwnedByEarlierPod, ownersByPolicy } from './claim-retention.ts';
import { claimsOf, identityLabels, ordinalOf, podName, podWith } from './identity.ts';
import { nextSteps, type Step } from './next-steps.ts';
import { statefulSetStatus } from './stateful-set-status.ts';

const SETS = appsV1.statefulsets;
const REVISIONS = appsV1.controllerrevisions;
const CLAIMS = coreV1.persistentvolumeclaims;
/** The waiting time before the next check of a claim that will be deleted with an earlier pod. */
const LEAVING_MS = 1000;

/**
 * Keeps the pods of stateful sets, in order or all at once. Each pod has a number, a name and its own claims. When the
 * template changes, it replaces the pods, the last one first.
 */
export const statefulSetController = controller({
  name: 'statefulset',
  account: 'statefulset-controller',
  needs: [
    need(SETS, { fields: ['spec', 'status'] }),
    need(REVISIONS, { fields: ['data', 'revision'] }),
    need(coreV1.pods, { fields: STATE_FIELDS }),
    need(CLAIMS),
  ],

  async start(term) {
    const { informer, queue, flags, naming, signal } = term;
    const sets = informer(SETS);
    const pods = informer(coreV1.pods);
    const revisions = informer(REVISIONS);
    const types = [SETS, REVISIONS, coreV1.pods, CLAIMS];
    const expectations = new Expectations(term, types);
    await upToDate(term, types);

    const keys = queue(
      reconcileCopy(expectations, sets, (copy) => new Look(term, copy, expectations).take()),
      { workers: flags.get('concurrent-statefulset-syncs') },
    );
    const changed = (set: StatefulSet) => keys.add(keyOf(set));
    sets.on({ added: changed, updated: changed }, signal);
    const claiming = { type: SETS, copy: sets, selectorOf: ({ spec }: StatefulSet) => spec?.selector };
    onClaimed(pods, claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    onClaimed(revisions, claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    // Pods that wait until a claim of an earlier pod is gone.
    informer(CLAIMS).on(
      {
        deleted: ({ metadata: { namespace = '', name = '' } }) => {
          for (const set of sets.find(byNamespace, namespace))
            if (
              (set.spec?.volumeClaimTemplates ?? []).some((template) => name.startsWith(`${template.metadata?.name}-`))
            )
              keys.addAfter(keyOf(set), SOON_MS);
        },
      },
      signal,
    );
  },
});

/** One check of a stateful set: its next steps, and its status. */
class Look {
  readonly #term: Term;
  readonly #set: StatefulSet;
  readonly #client: Term['client'];
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #writer: PodWriter<StatefulSet>;

  constructor(term: Term, set: StatefulSet, expectations: Expectations) {
    this.#term = term;
    this.#set = set;
    this.#client = expectations.client(keyOf(set));
    this.#claims = term.informer(CLAIMS);
    const whole = (pod: string) => `Pod ${pod} in StatefulSet ${set.metadata.name}`;
    this.#writer = new PodWriter(SETS, set, this.#client, term.events, {
      created: (pod) => `create ${whole(pod)} successful`,
      notCreated: (pod, error) => `create ${whole(pod)} failed error: ${error}`,
      deleted: (pod) => `delete ${whole(pod)} successful`,
      notDeleted: (pod, error) => `delete ${whole(pod)} failed error: ${error}`,
    });
  }

  async take(): Promise<{ afterMs: number } | undefined> {
    const { client, informer, naming, now } = this.#term;
    const set = this.#set;
    const { namespace, name = '', deletionTimestamp } = set.metadata;
    const { selector, template = {}, updateStrategy, minReadySeconds = 0, replicas = 1 } = set.spec ?? {};
    const claimer = {
      owner: set,
      selector,
      reference: controllerReference(SETS, set, naming),
      live: () => client.resource(SETS).in(namespace).get(name),
    };
    const history = await claim(candidatesOf(informer(REVISIONS), set, selector), {
      ...claimer,
      claimed: this.#client.resource(REVISIONS).in(namespace),
    });
    const own = await claim(candidatesOf(informer(coreV1.pods), set, selector), {
      ...claimer,
      mayClaim: (pod: Pod) => ordinalOf(set, pod.metadata.name ?? '') !== undefined,
      claimed: this.#client.resource(coreV1.pods).in(namespace),
    });
    if (deletionTimestamp) return undefined;
    const { revision, collisions } = await presentRevision(
      {
        type: SETS,
        owner: set,
        template,
        hashLabel: naming.key('controller/hash'),
        collisions: set.status?.collisionCount ?? 0,
        naming,
        client: this.#client,
      },
      history,
    );
    const update = revision.metadata.name!;
    const former = history.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? revision;
    const pods = new Map(own.map((pod) => [ordinalOf(set, pod.metadata.name!)!, pod]));
    const { partition = 0, maxUnavailable } = updateStrategy?.rollingUpdate ?? {};
    const rolling = updateStrategy?.type !== 'OnDelete';
    const ordered = {
      replicas,
      start: set.spec?.ordinals?.start ?? 0,
      pods,
      parallel: set.spec?.podManagementPolicy === 'Parallel',
      rolling,
      partition,
      unavailable: maxUnavailable == null ? 1 : Math.max(1, countOf(maxUnavailable, replicas, 'up')),
      minReadySeconds,
      isUpdated: ({ metadata }: Pod) => metadata.labels?.[REVISION_HASH] === update,
      now: now(),
    };
    for (const [ordinal, pod] of pods)
      await this.#keepIdentity(ordinal, pod, ordinal < ordered.start || ordinal >= ordered.start + replicas);
    const steps = nextSteps(ordered);
    const templates = { current: templateOf(former) ?? template, update: template };
    const names = { current: former.metadata.name!, update };
    let waiting = false;
    const { failure } = await slowStart(steps.length, async (i) => {
      const step = steps[i]!;
      if (step.kind === 'delete') return this.#delete(step);
      const pod = podWith(set, step.ordinal, templates[step.template], names[step.template], naming);
      if (await this.#makeClaims(step.ordinal)) return this.#create(pod);
      waiting = true;
      return undefined;
    });
    const { status, nextInMs } = statefulSetStatus({
      generation: set.metadata.generation ?? 0,
      before: set.status,
      pods: own,
      replicas,
      minReadySeconds,
      current: former.metadata.name!,
      update,
      collisions,
      rolling,
      now: now(),
    });
    await writeStatus(this.#client, SETS, set, status);
    if (failure !== undefined) throw failure;
    const inUse = ({ metadata }: ControllerRevision) =>
      [update, status.currentRevision].includes(metadata.name) ||
      own.some((pod) => pod.metadata.labels?.[REVISION_HASH] === metadata.name);
    await deleteRevisions(this.#client, superfluous(history, inUse, set.spec?.revisionHistoryLimit ?? 10));
    const again = waiting ? Math.min(LEAVING_MS, nextInMs ?? LEAVING_MS) : nextInMs;
    return again === undefined ? undefined : { afterMs: again };
  }

  async #create(pod: Pod): Promise<void> {
    await this.#writer.create(pod);
    this.#term.log.info({ namespace: pod.metadata.namespace, name: pod.metadata.name }, 'created a pod');
  }

  async #delete({ pod, why }: Extract<Step, { kind: 'delete' }>): Promise<void> {
    const { namespace, name = '' } = pod.metadata;
    if (why === 'ended') {
      const [reason, state] =
        pod.status?.phase === 'Failed' ? ['RecreatingFailedPod', 'failed'] : ['RecreatingTerminatedPod', 'terminated'];
      const message = `StatefulSet ${keyOf(this.#set)} is recreating ${state} Pod ${name}`;
      this.#term.events.warn(SETS, this.#set, reason!, message);
    }
    if (await this.#writer.delete(pod)) this.#term.log.info({ namespace, name, why }, 'deleted a pod');
  }

  /** Creates the missing claims of a pod. False if a claim is being deleted, or will be deleted with an earlier pod. */
  async #makeClaims(ordinal: number): Promise<boolean> {
    const { events } = this.#term;
    const pod = podName(this.#set, ordinal);
    for (const wanted of claimsOf(this.#set, ordinal)) {
      const { name = '' } = wanted.metadata;
      const there = this.#claims.get(keyOf(wanted));
      if (there !== undefined) {
        if (there.metadata.deletionTimestamp || isOwnedByEarlierPod(there, pod, undefined)) return false;
        continue;
      }
      const where = `in StatefulSet ${this.#set.metadata.name}`;
      try {
        await this.#client.resource(CLAIMS).in(this.#set.metadata.namespace).create(wanted);
        events.normal(SETS, this.#set, 'SuccessfulCreate', `create Claim ${name} Pod ${pod} ${where} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        const message = `create Claim ${name} for Pod ${pod} ${where} failed error: ${(error as Error).message}`;
        events.warn(SETS, this.#set, 'FailedCreate', message);
        throw error;
      }
    }
    return true;
  }

  /**
   * Gives a pod the labels that identify it and the claims that it waits for, and gives the claims the owners that the
   * policy wants.
   */
  async #keepIdentity(ordinal: number, pod: Pod, extra: boolean): Promise<void> {
    const { naming } = this.#term;
    const { namespace, name = '', uid, resourceVersion, deletionTimestamp } = pod.metadata;
    const labels = identityLabels(this.#set, ordinal, naming);
    const key = naming.key('statefulset/pod-name');
    if (!deletionTimestamp && pod.metadata.labels?.[key] !== labels[key])
      await this.#client
        .resource(coreV1.pods)
        .in(namespace)
        .patch(name, 'merge', { metadata: { uid, resourceVersion, labels } } as never);
    if (pod.status?.phase === 'Pending' && !deletionTimestamp && !extra) await this.#makeClaims(ordinal);
    for (const wanted of claimsOf(this.#set, ordinal)) {
      const there = this.#claims.get(keyOf(wanted));
      const owners = there && ownersByPolicy(this.#set, pod, extra, there, naming);
      if (owners === undefined) continue;
      const live = this.#client.resource(CLAIMS).in(namespace);
      try {
        // It reads and updates, because the controller's permissions include no patches.
        const claimed = await live.get(wanted.metadata.name!);
        if (claimed.metadata.uid !== there!.metadata.uid) continue;
        await live.update({
          ...claimed,
          metadata: { ...claimed.metadata, ownerReferences: owners, resourceVersion: there!.metadata.resourceVersion! },
        });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

/** The template that a revision holds. */
function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { spec } = (data ?? {}) as { spec?: { template?: PodTemplateSpec & { $patch?: unknown } } };
  if (spec?.template === undefined) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}
