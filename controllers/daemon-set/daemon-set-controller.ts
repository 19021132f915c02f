import { jsonEqual } from '#base/json/json-equal.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import { TEMPLATE_GENERATION } from '#schema/conversion/apps/template-generation.ts';
import type { ControllerRevision, DaemonSet } from '#schema/generated/apps.v1.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { countOf } from '#schema/values/int-or-string.ts';
import { controller, need, type Term } from '../controller.ts';
import { candidatesOf, claim } from '../pods/claim.ts';
import { Expectations, upToDate } from '../pods/expectations.ts';
import { onClaimed } from '../pods/on-claimed.ts';
import { controllerReference } from '../pods/owners.ts';
import { availableIn, isReady, STATE_FIELDS } from '../pods/pod-state.ts';
import { PodWriter, podOf } from '../pods/pod-writer.ts';
import { reconcileCopy } from '../pods/reconcile-copy.ts';
import { deleteRevisions, presentRevision, superfluous } from '../pods/revisions.ts';
import { slowStart } from '../pods/slow-start.ts';
import { SOON_MS } from '../pods/soon.ts';
import { REVISION_HASH } from '../pods/template-hash.ts';
import { writeStatus } from '../pods/write-status.ts';
import { daemonSetStatus } from './daemon-set-status.ts';
import { FailedDaemons } from './failed-daemons.ts';
import { type DaemonNode, nextDaemons } from './next-daemons.ts';
import { affinityTo, NODE_FIELDS, nodeOf, placementOn, tolerationsOf } from './placement.ts';

const SETS = appsV1.daemonsets;
const REVISIONS = appsV1.controllerrevisions;
/** The largest number of pods to create or delete for one set before the controller checks the set again. */
const BURST = 250;
/** The label by which clients of older versions distinguish the pods of templates. */
const GENERATION_LABEL = 'pod-template-generation';

/**
 * Keeps one pod of each daemon set on every node that its template allows, when nodes are added, removed, labelled or
 * tainted. When the template changes, it replaces the pods, as many at once as the set allows.
 */
export const daemonSetController = controller({
  name: 'daemonset',
  account: 'daemon-set-controller',
  component: 'daemonset-controller',
  needs: [
    need(SETS, { fields: ['spec', 'status'] }),
    need(REVISIONS, { fields: ['data', 'revision'] }),
    need(coreV1.pods, { fields: [...STATE_FIELDS, ...NODE_FIELDS] }),
    need(coreV1.nodes, { fields: ['spec.taints'] }),
  ],

  async start(term) {
    const { informer, queue, flags, naming, signal, now } = term;
    const sets = informer(SETS);
    const nodes = informer(coreV1.nodes);
    const expectations = new Expectations(term, [SETS, REVISIONS, coreV1.pods]);
    const failed = new FailedDaemons(now);
    await upToDate(term, [SETS, REVISIONS, coreV1.pods, coreV1.nodes]);

    const keys = queue(
      reconcileCopy(expectations, sets, async (copy) =>
        copy.metadata.deletionTimestamp ? undefined : new Look(term, copy, expectations, failed).take(),
      ),
      { workers: flags.get('concurrent-daemonset-syncs') },
    );
    const changed = (set: DaemonSet) => keys.add(keyOf(set));
    sets.on({ added: changed, updated: changed }, signal);
    const claiming = { type: SETS, copy: sets, selectorOf: ({ spec }: DaemonSet) => spec?.selector };
    onClaimed(informer(coreV1.pods), claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    onClaimed(informer(REVISIONS), claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    const everywhere = () => {
      for (const set of sets.all()) keys.addAfter(keyOf(set), SOON_MS);
    };
    // Nodes report their state all the time. Only changes that affect the placement of pods matter.
    const placed = (node: Node, before: Node) =>
      jsonEqual(node.spec?.taints ?? [], before.spec?.taints ?? []) &&
      jsonEqual(node.metadata.labels ?? {}, before.metadata.labels ?? {});
    nodes.on(
      { added: everywhere, updated: (node, before) => placed(node, before) || everywhere(), deleted: everywhere },
      signal,
    );
  },
});

/** One check of a daemon set: its next steps, and its status. */
class Look {
  readonly #term: Term;
  readonly #set: DaemonSet;
  readonly #client: Term['client'];
  readonly #failed: FailedDaemons;

  constructor(term: Term, set: DaemonSet, expectations: Expectations, failed: FailedDaemons) {
    this.#term = term;
    this.#set = set;
    this.#client = expectations.client(keyOf(set));
    this.#failed = failed;
  }

  async take(): Promise<{ afterMs: number } | undefined> {
    const { client, events, informer, naming, now } = this.#term;
    const set = this.#set;
    const { namespace, name = '' } = set.metadata;
    const { selector, template = {}, updateStrategy, minReadySeconds = 0 } = set.spec ?? {};
    if (Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      events.warn(SETS, set, 'SelectingAll', message);
      return undefined;
    }
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
    const { revision, collisions } = await presentRevision(
      {
        type: SETS,
        owner: set,
        template,
        hashLabel: REVISION_HASH,
        collisions: set.status?.collisionCount ?? 0,
        naming,
        client: this.#client,
      },
      history,
    );
    const hash = revision.metadata.labels![REVISION_HASH]!;
    const pods = await claim(candidatesOf(informer(coreV1.pods), set, selector), {
      ...claimer,
      claimed: this.#client.resource(coreV1.pods).in(namespace),
    });
    const { nodes, lost } = this.#nodesWith(pods);
    const desired = nodes.filter(({ starts }) => starts).length;
    const rolling = updateStrategy?.rollingUpdate ?? {};
    const share = (value: number | string | null | undefined) => (value == null ? 0 : countOf(value, desired, 'up'));
    const isUpdated = ({ metadata }: Pod) => metadata.labels?.[REVISION_HASH] === hash;
    const steps = nextDaemons({
      nodes,
      lost,
      surge: share(rolling.maxSurge),
      unavailable: share(rolling.maxUnavailable ?? 1),
      rolling: updateStrategy?.type !== 'OnDelete',
      isUpdated,
      isReady,
      isAvailable: (pod) => availableIn(pod, minReadySeconds, now()) === 0,
      mayReplaceFailed: (node) => this.#failed.mayReplace(set, node),
    });
    const failure = await this.#take(steps, hash);
    const { status, nextInMs } = daemonSetStatus({
      generation: set.metadata.generation ?? 0,
      before: set.status,
      nodes,
      minReadySeconds,
      collisions,
      isUpdated,
      now: now(),
    });
    await writeStatus(this.#client, SETS, set, status);
    if (failure !== undefined) throw failure;
    const inUse = ({ metadata }: ControllerRevision) =>
      metadata.name === revision.metadata.name ||
      pods.some((pod) => pod.metadata.labels?.[REVISION_HASH] === metadata.labels?.[REVISION_HASH]);
    await deleteRevisions(this.#client, superfluous(history, inUse, set.spec?.revisionHistoryLimit ?? 10));
    const again = [nextInMs, this.#failed.nextInMs(set)].filter((ms) => ms !== undefined);
    return again.length === 0 ? undefined : { afterMs: Math.min(...again) };
  }

  /**
   * All nodes with their pods, the oldest pod first, and the pods without a node. Pods that wait for the node are
   * included.
   */
  #nodesWith(pods: readonly Pod[]): { readonly nodes: DaemonNode[]; readonly lost: Pod[] } {
    const { informer, naming } = this.#term;
    const nodes = informer(coreV1.nodes);
    const on = new Map<string, Pod[]>();
    const lost: Pod[] = [];
    for (const pod of pods) {
      const node = nodeOf(pod);
      // The garbage collector of pods deletes pods on a node that is gone.
      if (node === undefined || (nodes.get(node) === undefined && !pod.spec?.nodeName)) lost.push(pod);
      else on.set(node, [...(on.get(node) ?? []), pod]);
    }
    const age = ({ metadata, spec }: Pod) =>
      `${spec?.nodeName ? 0 : 1} ${metadata.creationTimestamp ?? ''} ${metadata.name}`;
    const template = this.#set.spec?.template ?? {};
    return {
      nodes: [...nodes.all()].map((node) => ({
        name: node.metadata.name!,
        ...placementOn(node, template, naming),
        pods: (on.get(node.metadata.name!) ?? []).sort((a, b) => (age(a) < age(b) ? -1 : 1)),
      })),
      lost,
    };
  }

  /** Takes steps. Resolves to the failure, if there is one. */
  async #take({ create, remove, ended }: ReturnType<typeof nextDaemons>, hash: string): Promise<unknown> {
    const { events, log, naming } = this.#term;
    const set = this.#set;
    const { namespace, name } = set.metadata;
    const writer = new PodWriter(SETS, set, this.#client, events);
    for (const { pod, node } of ended) {
      const failed = pod.status?.phase === 'Failed';
      const [word, verb] = failed ? ['failed', 'kill'] : ['succeeded', 'delete'];
      const message = `Found ${word} daemon pod ${keyOf(pod)} on node ${node}, will try to ${verb} it`;
      if (failed) events.warn(SETS, set, 'FailedDaemonPod', message);
      else events.normal(SETS, set, 'SucceededDaemonPod', message);
      if (failed) this.#failed.replaced(set, node);
    }
    const template = set.spec?.template ?? {};
    const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
    const labels = {
      ...template.metadata?.labels,
      [REVISION_HASH]: hash,
      ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    };
    const pod = podOf(SETS, set, template, naming, { labels });
    const tolerations = tolerationsOf(template.spec, naming);
    const made = await slowStart(Math.min(create.length, BURST), (i) => {
      const affinity = affinityTo(create[i]!, template.spec?.affinity);
      return writer.create({ ...pod, spec: { ...(pod.spec ?? { containers: [] }), affinity, tolerations } });
    });
    const gone = await slowStart(Math.min(remove.length, BURST), (i) => writer.delete(remove[i]!));
    if (made.done + gone.done > 0)
      log.info({ namespace, name, created: made.done, deleted: gone.done }, 'created and deleted pods of a daemon set');
    return made.failure ?? gone.failure;
  }
}
