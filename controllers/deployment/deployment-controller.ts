import { jsonEqual } from '#base/json/json-equal.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { Deployment, ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { controller, need, type Term } from '../controller.ts';
import { candidatesOf, claim } from '../pods/claim.ts';
import type { WantedCondition } from '../pods/conditions.ts';
import { Expectations, upToDate } from '../pods/expectations.ts';
import { onClaimed } from '../pods/on-claimed.ts';
import { byController, controllerOf, controllerReference } from '../pods/owners.ts';
import { STATE_FIELDS } from '../pods/pod-state.ts';
import { reconcileCopy } from '../pods/reconcile-copy.ts';
import { SOON_MS } from '../pods/soon.ts';
import { hashOf, TEMPLATE_HASH } from '../pods/template-hash.ts';
import { writeStatus } from '../pods/write-status.ts';
import { leewayOf, recreates, wantedBy } from './amounts.ts';
import { countedStatus, type Deployed, deploymentStatus, failureOf, isComplete, pauseOf } from './deployment-status.ts';
import { annotated, freshAnnotations, freshSet, sizeAnnotations, superfluousSets } from './history.ts';
import { emptied, freshSize, isScaled, type Rollout, rollingStep, type Sizes, scaledSizes, stateOf } from './sizes.ts';

/**
 * Keeps the pods of each deployment at its template. It creates a replica set for each template. It moves the pods from
 * the sets of earlier templates to the current set, as fast as the deployment allows.
 */
export const deploymentController = controller({
  name: 'deployment',
  account: 'deployment-controller',
  needs: [
    need(appsV1.deployments, { fields: ['spec', 'status'] }),
    need(appsV1.replicasets, { fields: ['spec', 'status'] }),
    need(coreV1.pods, { fields: STATE_FIELDS }),
  ],

  async start(term) {
    const { informer, queue, flags, naming, signal } = term;
    const deployments = informer(appsV1.deployments);
    const sets = informer(appsV1.replicasets);
    const pods = informer(coreV1.pods);
    const expectations = new Expectations(term, [appsV1.replicasets, appsV1.deployments]);
    await upToDate(term, [appsV1.deployments, appsV1.replicasets, coreV1.pods]);

    const keys = queue(
      reconcileCopy(expectations, deployments, (copy) => new Step(term, copy, expectations).take()),
      { workers: flags.get('concurrent-deployment-syncs') },
    );
    const changed = (deployment: Deployment) => keys.add(keyOf(deployment));
    deployments.on({ added: changed, updated: changed }, signal);
    const claiming = {
      type: appsV1.deployments,
      copy: deployments,
      selectorOf: ({ spec }: Deployment) => spec?.selector,
    };
    onClaimed(sets, claiming, naming, (key) => keys.addAfter(key, SOON_MS), signal);
    // A deployment that recreates its pods waits for the end of the old pods. Their sets no longer count them.
    const ended = (pod: Pod) => {
      const set = sets.get(`${pod.metadata.namespace}/${controllerOf(pod)?.name}`);
      const above = set && deployments.get(`${pod.metadata.namespace}/${controllerOf(set)?.name}`);
      if (above && recreates(above)) changed(above);
    };
    pods.on({ deleted: ended, updated: (pod) => hasEnded(pod) && ended(pod) }, signal);
  },
});

/** One check of a deployment: the next step of its rollout, and its status. */
class Step {
  readonly #term: Term;
  readonly #copy: Deployment;
  readonly #client: Term['client'];
  #sets: ReplicaSet[] = [];
  #fresh: ReplicaSet | undefined;
  #collisions: number;
  #progress: WantedCondition | undefined;

  constructor(term: Term, copy: Deployment, expectations: Expectations) {
    this.#term = term;
    this.#copy = copy;
    this.#client = expectations.client(keyOf(copy));
    this.#collisions = copy.status?.collisionCount ?? 0;
  }

  get #old(): ReplicaSet[] {
    return this.#sets.filter((set) => set !== this.#fresh);
  }

  get #live() {
    return this.#client.resource(appsV1.replicasets).in(this.#copy.metadata.namespace);
  }

  async take(): Promise<{ afterMs: number } | undefined> {
    const { client, events, informer, naming } = this.#term;
    const deployment = this.#copy;
    const { namespace, name = '', generation = 0, deletionTimestamp } = deployment.metadata;
    const { selector } = deployment.spec ?? {};
    if (Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.';
      events.warn(appsV1.deployments, deployment, 'SelectingAll', message);
      if ((deployment.status?.observedGeneration ?? 0) < generation)
        await this.#write({ ...deployment.status, observedGeneration: generation });
      return undefined;
    }
    this.#sets = await claim(candidatesOf(informer(appsV1.replicasets), deployment, selector), {
      owner: deployment,
      selector,
      reference: controllerReference(appsV1.deployments, deployment, naming),
      live: () => client.resource(appsV1.deployments).in(namespace).get(name),
      claimed: this.#live,
    });
    this.#fresh = freshSet(deployment, this.#sets);
    if (deletionTimestamp) return this.#finish(true);
    this.#progress = pauseOf(deployment);
    const rollout = this.#rollout();
    if (deployment.spec?.paused || isScaled(rollout)) {
      await this.#updateFresh();
      await this.#resize(scaledSizes(this.#rollout(), !recreates(deployment)));
      if (deployment.spec?.paused) await this.#cleanUp();
      return this.#finish(true);
    }
    await (recreates(deployment) ? this.#recreate() : this.#roll());
    if (isComplete(deployment, countedStatus(this.#deployed(false)))) await this.#cleanUp();
    return this.#finish(false);
  }

  async #roll(): Promise<void> {
    await this.#makeFresh();
    await this.#resize(rollingStep(this.#rollout()));
  }

  async #recreate(): Promise<void> {
    const going = emptied(this.#rollout().old);
    await this.#updateFresh();
    if (going.size > 0) return this.#resize(going);
    const pods = this.#term.informer(coreV1.pods);
    const running = this.#old.some(({ metadata }) =>
      pods.find(byController, metadata.uid!).some((pod) => !hasEnded(pod)),
    );
    if (running) return;
    await this.#makeFresh();
    const fresh = this.#fresh;
    const wanted = wantedBy(this.#copy);
    if (fresh !== undefined && fresh.spec?.replicas !== wanted)
      await this.#resize(new Map([[fresh.metadata.name!, wanted]]));
  }

  /** Ensures that a set of the present template exists and has the deployment's annotations. */
  async #makeFresh(): Promise<void> {
    if (this.#fresh !== undefined) return this.#updateFresh();
    const deployment = this.#copy;
    const { log, events, naming } = this.#term;
    const { namespace, name = '' } = deployment.metadata;
    const { template = {}, minReadySeconds, selector } = deployment.spec ?? {};
    const wanted = wantedBy(deployment);
    const hash = { [TEMPLATE_HASH]: hashOf(template, this.#collisions) };
    const rollout = this.#rollout();
    const replicas = recreates(deployment) ? wanted : freshSize(rollout);
    const set: ReplicaSet = {
      metadata: {
        name: `${name}-${hash[TEMPLATE_HASH]}`,
        namespace: namespace!,
        labels: { ...template.metadata?.labels, ...hash },
        annotations: {
          ...freshAnnotations(deployment, undefined, this.#old, naming),
          ...sizeAnnotations(wanted, rollout.surge, naming),
        },
        ownerReferences: [controllerReference(appsV1.deployments, deployment, naming)],
      },
      spec: {
        replicas,
        ...(minReadySeconds ? { minReadySeconds } : {}),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...hash } },
        template: {
          ...template,
          metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...hash } },
        },
      },
    };
    try {
      this.#fresh = await this.#live.create(set);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      if (isAlreadyExists(error)) return this.#collide(set.metadata.name!, error);
      const message = `Failed to create new replica set "${set.metadata.name}": ${(error as Error).message}`;
      events.warn(appsV1.deployments, deployment, 'ReplicaSetCreateError', message);
      this.#progress = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message };
      await this.#finish(true);
      throw error;
    }
    this.#sets.push(this.#fresh);
    const made = this.#fresh.metadata.name!;
    this.#progress = progressing('NewReplicaSetCreated', `Created new replica set "${made}"`);
    if (replicas > 0) this.#reportScaled('up', made, replicas);
    log.info({ namespace, name, set: made, replicas }, 'created a replica set for a new pod template');
  }

  /**
   * Another set has the name. The hash must change, unless that set belongs to the deployment and the copy is behind.
   */
  async #collide(name: string, error: unknown): Promise<void> {
    const there = await this.#live.get(name);
    const ours = controllerOf(there)?.uid === this.#copy.metadata.uid;
    if (ours && freshSet(this.#copy, [there]) !== undefined) {
      this.#fresh = there;
      this.#sets = [...this.#sets.filter(({ metadata }) => metadata.uid !== there.metadata.uid), there];
      return;
    }
    this.#collisions++;
    await this.#write({ ...this.#copy.status, collisionCount: this.#collisions });
    throw error;
  }

  /** Gives the set of the present template the deployment's annotations, a revision, and the time to be available. */
  async #updateFresh(): Promise<void> {
    const fresh = this.#fresh;
    if (fresh === undefined) return;
    const annotations = freshAnnotations(this.#copy, fresh, this.#old, this.#term.naming);
    const minReadySeconds = this.#copy.spec?.minReadySeconds ?? 0;
    const same = jsonEqual(annotations, fresh.metadata.annotations ?? {});
    if (same && minReadySeconds === (fresh.spec?.minReadySeconds ?? 0)) {
      if (this.#copy.status?.conditions?.every(({ type }) => type !== 'Progressing'))
        this.#progress ??= progressing('FoundNewReplicaSet', `Found new replica set "${fresh.metadata.name}"`);
      return;
    }
    await this.#patch(fresh, { metadata: { annotations }, spec: { minReadySeconds } });
  }

  async #resize(sizes: Sizes): Promise<void> {
    const { log, naming } = this.#term;
    const annotations = sizeAnnotations(wantedBy(this.#copy), leewayOf(this.#copy).surge, naming);
    for (const set of [...this.#sets]) {
      const name = set.metadata.name!;
      const replicas = sizes.get(name);
      if (replicas === undefined) continue;
      const before = set.spec?.replicas ?? 1;
      const told = Object.entries(annotations).every(([key, value]) => set.metadata.annotations?.[key] === value);
      if (replicas === before && told) continue;
      await this.#patch(set, { metadata: { annotations }, spec: { replicas } });
      if (replicas === before) continue;
      const direction = replicas > before ? 'up' : 'down';
      this.#reportScaled(direction, name, replicas);
      log.info({ namespace: set.metadata.namespace, set: name, replicas, before }, `scaled ${direction}`);
    }
  }

  #reportScaled(direction: 'up' | 'down', set: string, replicas: number): void {
    const message = `Scaled ${direction} replica set ${set} to ${replicas}`;
    this.#term.events.normal(appsV1.deployments, this.#copy, 'ScalingReplicaSet', message);
  }

  async #patch(set: ReplicaSet, { metadata, spec }: { metadata: object; spec: object }): Promise<void> {
    const { name = '', uid, resourceVersion } = set.metadata;
    const after = await this.#live.patch(name, 'merge', { metadata: { uid, resourceVersion, ...metadata }, spec });
    this.#sets = this.#sets.map((other) => (other === set ? after : other));
    if (this.#fresh === set) this.#fresh = after;
  }

  async #cleanUp(): Promise<void> {
    for (const { metadata } of superfluousSets(this.#copy, this.#old, this.#term.naming)) {
      const { name = '', uid, resourceVersion } = metadata;
      await this.#live.delete(name, { preconditions: { uid, resourceVersion } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      this.#sets = this.#sets.filter((set) => set.metadata !== metadata);
      this.#term.log.info({ namespace: metadata.namespace, set: name }, 'deleted an old replica set');
    }
  }

  #rollout(): Rollout {
    const { wanted, surge, unavailable } = { wanted: wantedBy(this.#copy), ...leewayOf(this.#copy) };
    const { fresh, old } = this.#deployed(true);
    return { wanted, surge, unavailable, fresh, old };
  }

  #deployed(countsOnly: boolean): Deployed {
    const { naming, now } = this.#term;
    const state = (set: ReplicaSet) => stateOf(set, (what) => annotated(set, what, naming));
    return {
      deployment: this.#copy,
      fresh: this.#fresh && state(this.#fresh),
      old: this.#old.map(state),
      collisions: this.#collisions,
      failure: failureOf(this.#fresh, this.#old),
      progress: this.#progress,
      countsOnly,
      now: now(),
    };
  }

  /** Writes the status for the present state. */
  async #finish(countsOnly: boolean): Promise<{ afterMs: number } | undefined> {
    const { status, nextInMs } = deploymentStatus(this.#deployed(countsOnly));
    await this.#write(status);
    // Times of conditions are whole seconds.
    return nextInMs === undefined ? undefined : { afterMs: Math.max(0, nextInMs) + 1000 };
  }

  /** Writes a status, and with it the revision of the deployment. */
  async #write(status: object): Promise<void> {
    const { naming } = this.#term;
    const key = naming.key('deployment/revision');
    const revision = this.#fresh?.metadata.annotations?.[key];
    const annotations = revision === undefined ? {} : { [key]: revision };
    await writeStatus(this.#client, appsV1.deployments, this.#copy, status, annotations);
  }
}

function progressing(reason: string, message: string): WantedCondition {
  return { type: 'Progressing', status: 'True', reason, message };
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
