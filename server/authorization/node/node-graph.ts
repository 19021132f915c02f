import type { Naming } from '../../naming/naming.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import type { ObjectReader } from '../object-reader.ts';
import { podReferences, volumeReferences } from './references.ts';

/** Kinds of objects that nodes may reach through the pods that run on them. */
export type Reachable = 'secret' | 'configmap' | 'claim' | 'volume' | 'attachment' | 'serviceaccount';

interface PodEntry {
  readonly node: string;
  /** What the pod refers to, as `kind namespace/name`. */
  readonly targets: readonly string[];
}

/** Which objects belong to which node: kept current change by change. */
export class NodeGraph {
  readonly #mirrorAnnotation: string;
  readonly #pods = new Map<string, PodEntry>();
  /** How many pods of each node refer to a target. */
  readonly #users = new Map<string, Map<string, number>>();
  readonly #claimOfVolume = new Map<string, string>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #nodeOfAttachment = new Map<string, string>();
  readonly #stops: readonly (() => void)[];

  constructor(reader: ObjectReader, naming: Naming) {
    this.#mirrorAnnotation = naming.key('config.mirror');
    this.#stops = [
      reader.onChange('', 'pods', (after, before) => this.#pod(after, before)),
      reader.onChange('', 'persistentvolumes', (after, before) => this.#volume(after, before)),
      reader.onChange('storage', 'volumeattachments', (after, before) => this.#attachment(after, before)),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  /** Whether an object belongs to a node: a pod there refers to it, perhaps through a claim and its volume. */
  reaches(node: string, kind: Reachable, namespace: string, name: string): boolean {
    switch (kind) {
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

  #uses(node: string, target: string): boolean {
    return this.#users.get(target)?.has(node) === true;
  }

  #usesVolume(node: string, volume: string): boolean {
    const claim = this.#claimOfVolume.get(volume);
    return claim !== undefined && this.#uses(node, `claim ${claim}`);
  }

  #pod(after: ApiObject | undefined, before: ApiObject | undefined): void {
    const key = keyOf(after ?? before);
    const known = this.#pods.get(key);
    const entry = after === undefined ? undefined : this.#entry(after);
    if (known?.node === entry?.node && known?.targets.join('\n') === entry?.targets.join('\n')) return;
    if (known !== undefined) for (const target of known.targets) this.#count(target, known.node, -1);
    this.#pods.delete(key);
    if (entry === undefined) return;
    this.#pods.set(key, entry);
    for (const target of entry.targets) this.#count(target, entry.node, 1);
  }

  /** Undefined for pods that give their node nothing: not scheduled, or made by the node itself. */
  #entry(pod: ApiObject): PodEntry | undefined {
    const { node, serviceAccount, secrets, configMaps, claims } = podReferences(pod);
    const mirror = Object.hasOwn(pod.metadata.annotations ?? {}, this.#mirrorAnnotation);
    if (node === '' || mirror) return undefined;
    const { namespace = '' } = pod.metadata;
    const targets = (kind: Reachable, names: Iterable<string>) =>
      Array.from(names, (name) => `${kind} ${namespace}/${name}`);
    return {
      node,
      targets: [
        ...targets('serviceaccount', serviceAccount === '' ? [] : [serviceAccount]),
        ...targets('secret', secrets),
        ...targets('configmap', configMaps),
        ...targets('claim', claims),
      ],
    };
  }

  #count(target: string, node: string, change: 1 | -1): void {
    let nodes = this.#users.get(target);
    if (nodes === undefined) this.#users.set(target, (nodes = new Map()));
    const count = (nodes.get(node) ?? 0) + change;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size === 0) this.#users.delete(target);
  }

  #volume(after: ApiObject | undefined, before: ApiObject | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
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

  #attachment(after: ApiObject | undefined, before: ApiObject | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    const node = (after?.['spec'] as { nodeName?: string } | undefined)?.nodeName;
    if (node === undefined) this.#nodeOfAttachment.delete(name);
    else this.#nodeOfAttachment.set(name, node);
  }
}

function keyOf(object: ApiObject | undefined): string {
  return `${object?.metadata.namespace ?? ''}/${object?.metadata.name ?? ''}`;
}
