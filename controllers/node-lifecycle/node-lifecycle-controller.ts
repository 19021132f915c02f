import { isConflict, isNotFound } from '#client/errors.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import type { Node, NodeCondition } from '#schema/generated/core.v1.ts';
import { atOnce } from '../at-once.ts';
import { controller, need, type Term } from '../controller.ts';
import { CONDITION_FIELDS } from '../disruption-target.ts';
import { every } from '../every.ts';
import { isReady } from '../pods/pod-state.ts';
import { byNode } from '../pods-of-nodes.ts';
import { conditionOf, isSilent, type NodeHealth, observe, unknownConditions } from './node-health.ts';
import { evicting, hasTaint, schedulingTaints } from './node-taints.ts';
import { markNotReady, writeTaints } from './node-writes.ts';
import { Zones, zoneOf } from './zones.ts';

const WORKERS = 8;
/** Labels of nodes, and their older names that programs still read. */
const OLD_NAMES = [
  ['os', 'beta/os'],
  ['arch', 'beta/arch'],
] as const;

/**
 * Watches the health of nodes. If a node is silent, the controller sets its conditions to unknown. It taints nodes
 * according to their conditions, which keeps new pods away. It evicts the pods of failed nodes, at the rate that the
 * state of their zone allows.
 */
export const nodeLifecycleController = controller({
  name: 'nodelifecycle',
  account: 'node-controller',
  needs: [
    need(coreV1.nodes, {
      fields: [
        'spec.taints',
        'spec.unschedulable',
        ...CONDITION_FIELDS,
        'status.conditions.lastHeartbeatTime',
        'status.conditions.lastTransitionTime',
      ],
    }),
    need(coordinationV1.leases, { fields: ['spec.renewTime'] }),
    need(coreV1.pods, { fields: ['spec.nodeName', ...CONDITION_FIELDS] }),
  ],

  start(term) {
    const { informer, queue, flags, naming, signal } = term;
    const nodes = informer(coreV1.nodes);
    const monitor = new NodeMonitor(term);

    const taints = queue(
      async (name) => {
        const node = nodes.get(name);
        if (node === undefined) return;
        const change = schedulingTaints(node, naming);
        if (change.add.length + change.remove.length > 0)
          await writeTaints(term, { name, uid: node.metadata.uid }, change);
        await reconcileLabels(term, node);
      },
      { workers: WORKERS, name: 'node_lifecycle_controller' },
    );
    const changed = ({ metadata }: Node) => taints.add(metadata.name!);
    nodes.on({ added: changed, updated: changed }, signal);

    const zones = queue((zone) => monitor.evict(zone), { workers: WORKERS, name: 'node_lifecycle_controller_zones' });
    const health = queue(
      async () => {
        await monitor.look();
        for (const zone of monitor.waiting) zones.add(zone);
      },
      { name: 'node_lifecycle_controller_health' },
    );
    health.add('all');
    every(flags.get('node-monitor-period'), signal, () => health.add('all'));
  },
});

/** Keeps labels under their older names equal. */
async function reconcileLabels({ client, naming }: Term, { metadata }: Node): Promise<void> {
  const labels: Record<string, string> = {};
  for (const [current, old] of OLD_NAMES) {
    const value = metadata.labels?.[naming.key(current)];
    if (value !== undefined && metadata.labels?.[naming.key(old)] !== value) labels[naming.key(old)] = value;
  }
  if (Object.keys(labels).length === 0) return;
  const { name = '', uid } = metadata;
  try {
    await client.resource(coreV1.nodes).patch(name, 'merge', { metadata: { uid, labels } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The state of a node while an instance leads. */
interface Watched {
  readonly node: Node;
  health: NodeHealth;
  /** Uids of pods that were marked as not ready because the node is not ready. */
  readonly marked: Set<string>;
}

class NodeMonitor {
  readonly #term: Term;
  readonly #watched = new Map<string, Watched>();
  readonly #zones: Zones;
  /** Zones that are shown in metrics. */
  #measured: ReadonlySet<string> = new Set();

  constructor(term: Term) {
    const { flags, now } = term;
    this.#term = term;
    const rates = {
      normal: flags.get('node-eviction-rate'),
      disrupted: flags.get('secondary-node-eviction-rate'),
      largeFrom: flags.get('large-cluster-size-threshold'),
      unhealthyShare: flags.get('unhealthy-zone-threshold'),
    };
    this.#zones = new Zones(rates, now);
  }

  get waiting(): readonly string[] {
    return this.#zones.waiting;
  }

  /** Checks all nodes once. */
  async look(): Promise<void> {
    const { informer, naming, events, signal, log } = this.#term;
    const nodes = [...informer(coreV1.nodes).all()];
    this.#forgetOthers(nodes);
    const counts = new Map<string, { ready: number; notReady: number }>();
    const failed: Node[] = [];
    const looks = nodes.map((node) => async () => {
      const ready = await this.#readyAfterLook(node);
      if (ready === undefined) return;
      const excluded = Object.hasOwn(node.metadata.labels ?? {}, naming.key('node/exclude-disruption'));
      const zone = zoneOf(node, naming);
      if (!excluded) {
        const count = counts.get(zone) ?? { ready: 0, notReady: 0 };
        counts.set(zone, count);
        if (ready.status === 'True') count.ready++;
        else count.notReady++;
      }
      if (ready.status === 'True') await this.#recovered(node);
      else failed.push(node);
      const was = conditionOf(node, 'Ready')?.status;
      if (ready.status !== 'True' && was === 'True')
        events.normal(coreV1.nodes, node, 'NodeNotReady', `Node ${node.metadata.name} status is now: NodeNotReady`);
      await this.#markPods(node, ready);
    });
    await atOnce(looks, WORKERS, (each) =>
      signal.aborted ? Promise.resolve() : each().catch((err) => log.warn({ err }, 'a node could not be checked')),
    );
    this.#measure(counts);
    const disruption = this.#zones.count(counts);
    if (disruption === 'entered') {
      log.warn('no node is ready: no pods are evicted');
      for (const node of nodes) await this.#recovered(node);
    } else if (disruption === 'left') {
      log.info('some nodes are ready again');
      const now = this.#term.now();
      for (const watched of this.#watched.values()) watched.health = { ...watched.health, seenAt: now };
    }
    if (disruption !== 'entered') for (const node of failed) await this.#failed(node);
  }

  /**
   * Evicts the pods of the next node of a zone if the rate allows it. It sets a taint, because of which the controller
   * `taint-eviction` deletes the pods.
   */
  async evict(zone: string) {
    const name = this.#zones.next(zone);
    const node = name === undefined ? undefined : this.#term.informer(coreV1.nodes).get(name);
    if (node !== undefined) {
      try {
        // A node may wait once more because its copy does not show the taint yet. It counts once.
        if (await this.#setTaint(node)) this.#term.metrics.counter('node_collector_evictions_total').inc({ zone });
      } catch (error) {
        this.#zones.add(zone, name!);
        throw error;
      }
    }
    const afterMs = this.#zones.waitOf(zone);
    return afterMs === undefined ? undefined : { afterMs };
  }

  #measure(counts: ReadonlyMap<string, { readonly ready: number; readonly notReady: number }>): void {
    const { metrics } = this.#term;
    for (const zone of this.#measured) if (!counts.has(zone)) this.#show(zone, { ready: 0, notReady: 0 });
    for (const [zone, count] of counts) {
      // The counter exists with 0 before the first eviction.
      if (!this.#measured.has(zone)) metrics.counter('node_collector_evictions_total').inc({ zone }, 0);
      this.#show(zone, count);
    }
    this.#measured = new Set(counts.keys());
  }

  #show(zone: string, { ready, notReady }: { readonly ready: number; readonly notReady: number }): void {
    const { metrics } = this.#term;
    const size = ready + notReady;
    metrics.gauge('node_collector_zone_size').set({ zone }, size);
    metrics.gauge('node_collector_zone_health').set({ zone }, size === 0 ? 100 : (100 * ready) / size);
    metrics.gauge('node_collector_unhealthy_nodes_in_zone').set({ zone }, notReady);
  }

  #forgetOthers(nodes: readonly Node[]): void {
    const { events } = this.#term;
    const there = new Map(nodes.map((node) => [node.metadata.name!, node.metadata.uid]));
    for (const [name, { node }] of this.#watched) {
      if (there.get(name) === node.metadata.uid) continue;
      this.#watched.delete(name);
      this.#zones.remove(name);
      const message = `Node ${name} event: Removing Node ${name} from Controller`;
      events.normal(coreV1.nodes, node, 'RemovingNode', message);
    }
  }

  /** Records a node's signs of life. Returns its condition `Ready` after that. */
  async #readyAfterLook(node: Node): Promise<NodeCondition | undefined> {
    const { client, events, flags, informer, log, naming, now } = this.#term;
    const { name = '', uid, resourceVersion } = node.metadata;
    const lease = informer(coordinationV1.leases).get(`${naming.prefixed('node-lease')}/${name}`);
    const before = this.#watched.get(name);
    const health = observe(before?.health, node, lease?.spec?.renewTime ?? undefined, now());
    if (before === undefined) {
      const message = `Node ${name} event: Registered Node ${name} in Controller`;
      events.normal(coreV1.nodes, node, 'RegisteredNode', message);
    }
    this.#watched.set(name, { node, health, marked: before?.marked ?? new Set() });
    const graces = {
      runningMs: flags.get('node-monitor-grace-period'),
      startingMs: flags.get('node-startup-grace-period'),
    };
    const ready = conditionOf(node, 'Ready');
    if (!isSilent(health, node, graces, now())) return ready;
    const conditions = unknownConditions(node, now());
    if (conditions.every(({ type }) => type !== 'Ready')) return ready;
    try {
      const patch = {
        metadata: { uid, resourceVersion },
        status: { conditions: conditions.map((each) => ({ ...each })) },
      };
      await client.resource(coreV1.nodes).patch(name, 'strategic', patch, { subresource: 'status' });
      log.warn({ node: name, silentMs: now() - health.seenAt }, 'a node does not report: its state is unknown');
    } catch (error) {
      // The node has been changed or deleted. The next check decides again.
      if (isConflict(error) || isNotFound(error)) return ready;
      throw error;
    }
    return conditions.find(({ type }) => type === 'Ready');
  }

  /** The taints of a node. A node that is not ready and a silent node have different taints. */
  #taintsOf(node: Node) {
    const { naming, informer } = this.#term;
    const current = informer(coreV1.nodes).get(node.metadata.name!) ?? node;
    const status = conditionOf(current, 'Ready')?.status;
    if (status !== 'False' && status !== 'Unknown') return undefined;
    const [own, other] =
      status === 'False' ? (['not-ready', 'unreachable'] as const) : (['unreachable', 'not-ready'] as const);
    return { add: [evicting(own, naming)], remove: [evicting(other, naming)] };
  }

  /** Resolves with whether the node did not have the taint before. */
  async #setTaint(node: Node): Promise<boolean> {
    const change = this.#taintsOf(node);
    const { name = '', uid } = node.metadata;
    return change !== undefined && (await writeTaints(this.#term, { name, uid }, change));
  }

  async #failed(node: Node): Promise<void> {
    const { name = '' } = node.metadata;
    const change = this.#taintsOf(node);
    if (change === undefined || hasTaint(node.spec?.taints, change.add[0]!)) return;
    // Its pods are already being evicted. Only the reason has changed.
    if (hasTaint(node.spec?.taints, change.remove[0]!)) await this.#setTaint(node);
    else this.#zones.add(zoneOf(node, this.#term.naming), name);
  }

  async #recovered(node: Node): Promise<void> {
    const { naming, log } = this.#term;
    const { name = '', uid } = node.metadata;
    this.#zones.remove(name);
    const remove = [evicting('not-ready', naming), evicting('unreachable', naming)].filter((taint) =>
      hasTaint(node.spec?.taints, taint),
    );
    if (remove.length === 0) return;
    await writeTaints(this.#term, { name, uid }, { add: [], remove });
    log.info({ node: name }, 'a node reports again: its pods stay');
  }

  /** Marks each pod of a node as not ready while the node is not ready, once for each pod. */
  async #markPods(node: Node, ready: NodeCondition): Promise<void> {
    const marked = this.#watched.get(node.metadata.name!)?.marked;
    if (marked === undefined) return;
    if (ready.status === 'True') {
      marked.clear();
      return;
    }
    const pods = this.#term.informer(coreV1.pods).find(byNode, node.metadata.name!);
    const wrong = pods.filter((pod) => isReady(pod) && !marked.has(pod.metadata.uid!));
    if (wrong.length === 0) return;
    const done = await markNotReady(this.#term, node, new Set(wrong.map(({ metadata }) => metadata.uid!)));
    for (const uid of done) marked.add(uid);
  }
}
