import type { Registry } from '../../api/registry.ts';
import type { Item } from '../../cache/item.ts';
import { clone, workingObject } from '../../codecs/convert.ts';
import { trackWrite } from '../../registry/managed-fields.ts';
import { formBytes, ownWrite, storedFormOf } from '../../registry/written.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import type { CustomResourceDefinition } from '../../schema/generated/apiextensions.v1.ts';

/** How this server changes definitions by itself: only as long as they are what it has seen. */
export class DefinitionWrites {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * Stores what `change` makes of a definition, if nobody has changed it meanwhile: who has, is heard of anyway.
   * `change` leaves the spec alone. `subresource`: the view through which it is owned. Rejects as the store.
   */
  async update(
    item: Item,
    subresource: '' | 'status',
    change: (definition: CustomResourceDefinition) => void,
  ): Promise<void> {
    const { store, naming } = this.#registry;
    const served = this.#served();
    const old = (await workingObject(served, item)) as CustomResourceDefinition;
    // of a large definition the spec is nearly all, and stays as it is: nothing about it has to be copied or compared
    const { spec, ...rest } = old;
    const own = clone(rest as ApiObject) as CustomResourceDefinition;
    const object = { ...own, spec };
    change(object);
    const writer = { manager: naming.prefixed('apiserver'), subresource };
    const { spec: _spec, ...changed } = object;
    const live = served.model.canonical(rest) as unknown as ApiObject;
    await trackWrite(served, live, changed as ApiObject, writer);
    const value = formBytes(await storedFormOf(served, object));
    const key = served.stored!.keyPrefix + item.key;
    await ownWrite(this.#registry, key, value, () => store.update(key, item.revision, value));
  }

  /** Removes a definition, if nobody has changed it meanwhile. Rejects as the store. */
  async remove(item: Item): Promise<void> {
    await this.#registry.store.remove(this.#served().stored!.keyPrefix + item.key, item.revision);
  }

  #served() {
    const { naming } = this.#registry;
    return this.#registry.find(naming.group('apiextensions'), 'v1', 'customresourcedefinitions')!;
  }
}
