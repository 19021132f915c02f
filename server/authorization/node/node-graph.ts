import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ObjectReader, Unread } from '../../resources/object-reader.ts';
import { podReferences, volumeReferences } from './references.ts';

/** Kinds of objects that nodes may reach through the pods that run on them. */
export type Reachable = 'secret' | 'configmap' | 'claim' | 'volume' | 'attachment' | 'serviceaccount' | 'pod';

/** The field of pods that names their node. */
const NODE_FIELD = 'spec.nodeName';

/**
 * The objects that belong to each node. From the first question on, it is updated with every change. The objects to
 * which a pod refers are read when its node first asks. So a replica reads nothing for this at its start, and nothing
 * for nodes that use other replicas.
 */
export class NodeGraph {
  readonly #reader: ObjectReader;
  readonly #mirrorAnnotation: string;
  readonly #podsOfNode = new Map<string, Map<string, PodOnNode>>();
  readonly #claimOfVolume = new Map<string, string>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #nodeOfAttachment = new Map<string, string>();
  #stops: readonly (() => void)[] | undefined;

  constructor(reader: ObjectReader, naming: Naming) {
    this.#reader = reader;
    this.#mirrorAnnotation = naming.key('config.mirror');
  }

  stop(): void {
    for (const stop of this.#stops ?? []) stop();
  }

  /**
   * Whether an object belongs to a node. A pod on the node must refer to it, perhaps through a claim and its volume.
   */
  reaches(node: string, kind: Reachable, namespace: string, name: string): boolean {
    this.#stops ??= this.#follow();
    switch (kind) {
      case 'pod':
        return this.#podsOfNode.get(node)?.has(`${namespace}/${name}`) === true;
      case 'volume':
        return this.#usesVolume(node, name);
      case 'attachment':
        return this.#nodeOfAttachment.get(name) === node;
      case 'secret': {
        if (this.#uses(node, `secret ${namespace}/${name}`)) return true;
        for (const volume of this.#volumesOfSecret.get(`${namespace}/${name}`) ?? [])
          if (this.#usesVolume(node, volume)) return true;
        return false;
      }
      default:
        return this.#uses(node, `${kind} ${namespace}/${name}`);
    }
  }

  #follow(): readonly (() => void)[] {
    const reader = this.#reader;
    return [
      reader.onChange('', 'pods', (key, after, before) => this.#pod(key, after, before)),
      reader.onChange('', 'persistentvolumes', (name, after, before) =>
        this.#volume(name, after?.read(), before?.read()),
      ),
      reader.onChange('storage', 'volumeattachments', (name, after) => this.#attachment(name, after?.read())),
    ];
  }

  #uses(node: string, target: string): boolean {
    for (const pod of this.#podsOfNode.get(node)?.values() ?? []) if (pod.targets.has(target)) return true;
    return false;
  }

  #usesVolume(node: string, volume: string): boolean {
    const claim = this.#claimOfVolume.get(volume);
    return claim !== undefined && this.#uses(node, `claim ${claim}`);
  }

  #pod(key: string, after: Unread | undefined, before: Unread | undefined): void {
    const left = before?.fields?.[NODE_FIELD];
    const node = after?.fields?.[NODE_FIELD];
    if (left !== undefined && left !== node) this.#leave(left, key);
    if (after === undefined || node === undefined) return;
    let pods = this.#podsOfNode.get(node);
    if (pods === undefined) this.#podsOfNode.set(node, (pods = new Map()));
    pods.set(key, new PodOnNode(after, this.#mirrorAnnotation));
  }

  #leave(node: string, key: string): void {
    const pods = this.#podsOfNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#podsOfNode.delete(node);
  }

  #volume(name: string, after: ApiObject | undefined, before: ApiObject | undefined): void {
    for (const secret of before === undefined ? [] : (volumeReferences(before)?.secrets ?? [])) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    const references = after === undefined ? undefined : volumeReferences(after);
    if (references === undefined) {
      this.#claimOfVolume.delete(name);
      return;
    }
    this.#claimOfVolume.set(name, references.claim);
    for (const secret of references.secrets) {
      const volumes = this.#volumesOfSecret.get(secret);
      if (volumes === undefined) this.#volumesOfSecret.set(secret, new Set([name]));
      else volumes.add(name);
    }
  }

  #attachment(name: string, after: ApiObject | undefined): void {
    const node = (after?.['spec'] as { nodeName?: string } | undefined)?.nodeName;
    if (node === undefined) this.#nodeOfAttachment.delete(name);
    else this.#nodeOfAttachment.set(name, node);
  }
}

/** A pod on a node. */
class PodOnNode {
  readonly #mirrorAnnotation: string;
  #pod: Unread | undefined;
  #targets: ReadonlySet<string> = NONE;

  constructor(pod: Unread, mirrorAnnotation: string) {
    this.#pod = pod;
    this.#mirrorAnnotation = mirrorAnnotation;
  }

  /** The references of the pod, as `kind namespace/name`. None for a pod that the node itself created. */
  get targets(): ReadonlySet<string> {
    if (this.#pod !== undefined) {
      this.#targets = targetsOf(this.#pod.read(), this.#mirrorAnnotation);
      this.#pod = undefined;
    }
    return this.#targets;
  }
}

const NONE: ReadonlySet<string> = new Set();

function targetsOf(pod: ApiObject, mirrorAnnotation: string): ReadonlySet<string> {
  const { namespace = '', annotations } = pod.metadata;
  if (Object.hasOwn(annotations ?? {}, mirrorAnnotation)) return NONE;
  const { serviceAccount, secrets, configMaps, claims } = podReferences(pod);
  const targets = new Set<string>();
  const add = (kind: Reachable, names: Iterable<string>): void => {
    for (const name of names) targets.add(`${kind} ${namespace}/${name}`);
  };
  add('serviceaccount', serviceAccount === '' ? [] : [serviceAccount]);
  add('secret', secrets);
  add('configmap', configMaps);
  add('claim', claims);
  return targets;
}
