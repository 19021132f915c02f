import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import type { ParamKind, ParamRef } from '#schema/generated/admissionregistration.v1.ts';
import { labelMatcher } from '#schema/validation/label-selector.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { hasStored, type StoredServedResource } from '../../api/served-resource.ts';
import type { Item } from '../../cache/item.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { PolicyFreshness } from './policy-basis.ts';

/** The error about a policy or a binding that cannot be used. */
export class ConfigurationError extends Error {
  /** Whether the error is in the policy. If so, it affects all bindings of the policy. */
  readonly ofPolicy: boolean;

  constructor(message: string, ofPolicy = false) {
    super(message);
    this.ofPolicy = ofPolicy;
  }
}

/** The resource of a policy's parameter objects. @throws ConfigurationError */
function paramResource(cluster: ClusterView, { apiVersion = '', kind = '' }: ParamKind): StoredServedResource {
  const found = cluster.registry.current().ofKind(apiVersion, kind).find(hasStored);
  if (found !== undefined) return found;
  const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`, true);
}

/**
 * The parameter objects of a binding for a request. `undefined` means that the policy is evaluated without parameters.
 * An empty list means that it is not evaluated. The objects are as new as the request, or its transaction compares
 * them.
 * @throws ConfigurationError, and StaleDefinition if the objects change in the meantime
 */
export async function paramsFor(
  cluster: ClusterView,
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  request: AdmissionRequest,
  freshness: PolicyFreshness,
): Promise<readonly (JsonObject | undefined)[]> {
  if (kind === undefined) return [undefined];
  const served = paramResource(cluster, kind);
  if (ref === undefined) return [undefined];
  const { name = '', namespace: given = '', selector, parameterNotFoundAction } = ref;
  const { namespaced } = served.type;
  if (!namespaced && given !== '') {
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = namespaced ? given || request.namespace : '';
  if (namespaced && namespace === '') {
    const why = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
    throw new ConfigurationError(why);
  }
  const scope = namespaced ? `${namespace}/` : '';
  if (name === '') await freshness.needsFresh(request);
  const items = name === '' ? selected(served, scope, selector) : await named(cluster, served, scope + name);
  if (name !== '') await freshness.uses(request, served.stored, scope + name, items[0]?.revision ?? 0);
  if (items.length === 0 && parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return Promise.all(items.map((item) => valueIn(served, item)));
}

function selected({ stored }: StoredServedResource, scope: string, selector: ParamRef['selector']): readonly Item[] {
  const matches = labelMatcher(selector ?? {});
  return stored.cache.range(scope).filter(({ labels }) => matches(labels as Record<string, string> | undefined));
}

async function named(cluster: ClusterView, { stored }: StoredServedResource, key: string): Promise<readonly Item[]> {
  let item = stored.cache.get(key);
  if (item === undefined) {
    await cluster.refresh();
    item = stored.cache.get(key);
  }
  return item === undefined ? [] : [item];
}

/** Converted parameter objects, by the version in which policies see them. */
const values = new WeakMap<Item, Map<string, Promise<JsonObject>>>();

function valueIn(served: StoredServedResource, item: Item): Promise<JsonObject> {
  let known = values.get(item);
  if (known === undefined) values.set(item, (known = new Map()));
  let value = known.get(served.apiVersion);
  if (value === undefined) known.set(served.apiVersion, (value = makeValue(served, item)));
  return value;
}

async function makeValue(served: StoredServedResource, item: Item): Promise<JsonObject> {
  const reading = await served.reading.ready([item]);
  return { ...parseStored<JsonObject>(reading.body(item)), kind: served.type.kind, apiVersion: served.apiVersion };
}
