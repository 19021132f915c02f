import { cloneJson } from '#base/json/clone-json.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { shortGroupOf, versionOf } from '#schema/values/api-version.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Reading, ResourceVersion, StoredReading } from '../api/stored-reading.ts';
import type { Item } from '../cache/item.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { FeatureGates } from '../config/feature-gates.ts';

/** The inputs for the conversion of an object. */
export interface ConversionContext {
  readonly naming: Naming;
  readonly gates: FeatureGates;
  readonly cache: WatchCache;
}

const converted = new WeakMap<Item, Map<string, Buffer>>();

/** Reads stored objects of a built-in kind in one of its versions. It never waits. */
export class BuiltInReading implements StoredReading, Reading {
  readonly model: ObjectModel;
  readonly now: Reading = this;
  readonly #context: ConversionContext;
  readonly #stored: StoredResource;
  readonly #version: ResourceVersion;

  constructor(context: ConversionContext, stored: StoredResource, version: ResourceVersion) {
    this.#context = context;
    this.#stored = stored;
    this.#version = version;
    this.model = stored.model;
  }

  ready(): Reading {
    return this;
  }

  asStored(item: Item): boolean {
    if (this.#stored.hidden?.may === true) return false;
    return this.#version.versionRules.fromStorage === undefined && item.apiVersion === this.#stored.apiVersion;
  }

  workingAsStored(item: Item): boolean {
    return item.apiVersion === this.#stored.apiVersion && this.#stored.hidden?.may !== true;
  }

  body(item: Item): Buffer {
    if (this.asStored(item)) return item.body;
    let forms = converted.get(item);
    if (forms === undefined) converted.set(item, (forms = new Map()));
    const { apiVersion } = this.#version;
    let body = forms.get(apiVersion);
    if (body === undefined) {
      const {
        kind: _kind,
        apiVersion: _apiVersion,
        ...rest
      } = this.inVersion(cloneJson(this.passing(item)), this.#version);
      body = Buffer.from(stringify(asJson(rest)));
      forms.set(apiVersion, body);
    }
    return body;
  }

  object(item: Item): ApiObject {
    return storedObject(this.#context, this.#stored, item);
  }

  passing(item: Item): ApiObject {
    const parsed = asObject(this.#context.cache.parsedOnce(item));
    return shownObject(this.#context, this.#stored, item.apiVersion, parsed);
  }

  fromStored(object: ApiObject, apiVersion: string): ApiObject {
    if (apiVersion === this.#stored.apiVersion) return object;
    return inStorageVersion(this.#context, this.#stored, apiVersion, object);
  }

  toStored(object: ApiObject): ApiObject {
    return object;
  }

  inVersion(object: ApiObject, to: ResourceVersion): ApiObject {
    const shown = to.versionRules.fromStorage?.(object, this.#context);
    return shown === undefined ? object : asObject(to.model.canonical(shown));
  }

  fromVersion(object: ApiObject, from: ResourceVersion): ApiObject {
    return from.versionRules.toStorage?.(object, this.#context) ?? object;
  }
}

/** Reads objects of a kind that is never stored. */
export class VirtualReading implements StoredReading {
  readonly model: ObjectModel;

  constructor(model: ObjectModel) {
    this.model = model;
  }

  ready(): never {
    throw new Error('objects of this resource are not stored');
  }

  fromStored(object: ApiObject): ApiObject {
    return object;
  }

  toStored(object: ApiObject): ApiObject {
    return object;
  }

  inVersion(object: ApiObject): ApiObject {
    return object;
  }

  fromVersion(object: ApiObject): ApiObject {
    return object;
  }
}

/** A stored object of a built-in kind, in the storage version. Callers share the object and must not change it. */
export function storedObject(
  context: ConversionContext,
  stored: Pick<StoredResource, 'apiVersion' | 'group' | 'rules' | 'models' | 'hidden'>,
  item: Item,
): ApiObject {
  return shownObject(context, stored, item.apiVersion, asObject(context.cache.parsed(item)));
}

/** A parsed object in the storage version, without the fields that the release in force does not have. */
function shownObject(
  context: ConversionContext,
  stored: Pick<StoredResource, 'apiVersion' | 'group' | 'rules' | 'models' | 'hidden'>,
  apiVersion: string,
  parsed: ApiObject,
): ApiObject {
  if (apiVersion !== stored.apiVersion) return inStorageVersion(context, stored, apiVersion, cloneJson(parsed));
  return stored.hidden?.may === true ? stored.hidden.without(parsed) : parsed;
}

/** Converts an object that is stored in another version to the storage version. The function may change `object`. */
export function inStorageVersion(
  context: Pick<ConversionContext, 'naming' | 'gates'>,
  stored: Pick<StoredResource, 'group' | 'rules' | 'models'>,
  apiVersion: string,
  object: ApiObject,
): ApiObject {
  const group = shortGroupOf(context.naming, apiVersion);
  const version = versionOf(apiVersion);
  const key = group === stored.group ? version : `${group}/${version}`;
  // The defaults are those of the version in which the object was written.
  stored.models?.get(key)?.defaults(object);
  return stored.rules.versions?.[key]?.toStorage?.(object, context) ?? object;
}
