import { createHash } from 'node:crypto';
import { parseStored } from '#base/json/parse-stored.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import type { Item } from '../../cache/item.ts';
import { definitionText } from './definition-text.ts';

type Schema = JSONSchemaProps | undefined;

/** The schemas of definitions. They are parsed again for each caller, because callers change the result. */
export class FreshSchemas {
  readonly #hashes = new WeakMap<Item, string>();
  /**
   * The schemas of the definition that was read last, by version. Callers usually ask for its versions one after the
   * other.
   */
  #left: { readonly item: Item; readonly byVersion: Map<string, Schema> } | undefined;

  /**
   * A hash of the content of a definition, without metadata and status. For a large definition it takes a millisecond.
   */
  hash(item: Item): string {
    let hash = this.#hashes.get(item);
    if (hash === undefined) {
      const spec = definitionText(item.body)?.spec ?? item.body;
      hash = createHash('sha512').update(spec).digest('base64');
      this.#hashes.set(item, hash);
    }
    return hash;
  }

  /** The schema of a version. It is not kept here. */
  take(item: Item, version: string): Schema {
    const left = this.#left?.item === item ? this.#left.byVersion : this.#read(item);
    const schemas = left.has(version) ? left : this.#read(item);
    const schema = schemas.get(version);
    schemas.delete(version);
    this.#left = schemas.size === 0 ? undefined : { item, byVersion: schemas };
    return schema;
  }

  #read(item: Item): Map<string, Schema> {
    const { spec } = definitionText(item.body) ?? {};
    const { versions } = spec
      ? parseStored<CustomResourceDefinition['spec']>(spec)
      : parseStored<CustomResourceDefinition>(item.body).spec;
    return new Map((versions ?? []).map(({ name, schema }) => [name, schema?.openAPIV3Schema]));
  }
}
