import { stringify } from '#base/json/stringify.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Item } from '../../cache/item.ts';
import { clone, workingObject } from '../../codecs/convert.ts';
import type { Registry } from '../../resources/registry.ts';
import { trackWrite } from '../../verbs/managed-fields.ts';
import { ownWrite, storedFormOf } from '../../verbs/written.ts';
import { type DefinitionRest, type DefinitionText, definitionText, storedText } from './definition-text.ts';

/**
 * Writes of this server to definitions. Each is done only if the definition is still in the state that the server
 * knows.
 */
export class DefinitionWrites {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * Stores a definition with the change that `change` makes, if no other client has changed the definition in the
   * meantime. This replica learns of such a change from an event. `change` does not get the spec. `subresource` names
   * the view that owns the written fields. Rejects like the store.
   */
  async update(item: Item, subresource: '' | 'status', change: (definition: DefinitionRest) => void): Promise<void> {
    const { store, naming } = this.#registry;
    const served = this.#served();
    // The spec is nearly all of a large definition, and does not change. So its text is copied, and not parsed and
    // written again.
    const { rest, spec } = await this.#textOf(item);
    const object = clone(rest as ApiObject) as DefinitionRest;
    change(object);
    const writer = { manager: naming.prefixed('apiserver'), subresource };
    const live = asObject(served.model.canonical(rest));
    await trackWrite(served, live, object as ApiObject, writer);
    const form = (await storedFormOf(served, object as ApiObject)) as CustomResourceDefinition;
    const { kind, apiVersion, metadata, status } = form;
    const value = storedText({ kind, apiVersion, metadata }, spec, status!);
    const key = served.stored.keyPrefix + item.key;
    await ownWrite(this.#registry, key, value, () => store.update(key, item.revision, value));
  }

  /** Removes a definition if no other client has changed it in the meantime. Rejects like the store. */
  async remove(item: Item): Promise<void> {
    await this.#registry.store.remove(this.#served().stored.keyPrefix + item.key, item.revision);
  }

  async #textOf(item: Item): Promise<DefinitionText> {
    const served = this.#served();
    const text = item.apiVersion === served.stored.apiVersion ? definitionText(item.body) : undefined;
    if (text !== undefined) return text;
    const object = await workingObject(served, item);
    const { spec } = (await storedFormOf(served, object)) as CustomResourceDefinition;
    const { metadata, status } = object as CustomResourceDefinition;
    return { rest: { metadata, ...(status !== undefined && { status }) }, spec: Buffer.from(stringify(spec)) };
  }

  #served() {
    const { naming } = this.#registry;
    return this.#registry.findStored(naming.group('apiextensions'), 'v1', 'customresourcedefinitions');
  }
}
