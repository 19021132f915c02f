import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Registry } from '../../resources/registry.ts';
import type { ClusterView } from '../cluster-view.ts';

/** Objects by `group/plural`; the core group is ''. */
export type Objects = Readonly<Record<string, readonly object[]>>;

function keyOf({ metadata }: ApiObject): string {
  return metadata.namespace === undefined ? metadata.name! : `${metadata.namespace}/${metadata.name}`;
}

/** A cluster view of a few objects. */
export class FakeCluster implements ClusterView {
  readonly #objects: Objects;

  constructor(objects: Objects = {}) {
    this.#objects = objects;
  }

  get registry(): Registry {
    throw new Error('there is no registry behind this view');
  }

  get<T extends ApiObject>(group: string, plural: string, key: string): T | undefined {
    return this.list<T>(group, plural).find((object) => keyOf(object) === key);
  }

  async find<T extends ApiObject>(group: string, plural: string, key: string): Promise<T | undefined> {
    return this.get(group, plural, key);
  }

  list<T extends ApiObject>(group: string, plural: string, scope = ''): readonly T[] {
    const all = (this.#objects[`${group}/${plural}`] ?? []) as unknown as readonly T[];
    return all.filter((object) => keyOf(object).startsWith(scope));
  }

  async refresh(): Promise<void> {}
}
