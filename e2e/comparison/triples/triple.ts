import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { PatchType } from '#client/changes.ts';

/**
 * A file that is applied, a change by another client, and another file that is applied twice. `PLACE` in names and
 * texts stands for the namespace of the run, so that objects without namespaces have unique names.
 */
export interface Triple {
  /** The case under test. `better.ts` uses it as a name. */
  readonly what: string;
  readonly file: JsonObject;
  /**
   * Patches of other writers. By default, they are strategic merge patches, and merge patches for user-defined kinds.
   */
  readonly change?: JsonValue;
  readonly by?: PatchType;
  readonly next: JsonObject;
  /** Additional words for all calls of apply. */
  readonly flags?: readonly string[];
}

/** A config map with this data. */
export const configMap = (data: JsonValue, metadata: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...metadata } },
  data,
});

/** A deployment. `pod` is the specification of its pods. */
export const deployment = (pod: JsonObject, spec: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    ...spec,
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'i' }], ...pod } },
  },
});

/** A patch of the specification of the pods of such a deployment. */
export const inPods = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });

/** A deployment with one container that has these fields. */
export const container = (fields: JsonObject): JsonObject =>
  deployment({ containers: [{ name: 'a', image: 'i', ...fields }] });

/** A patch of that container. */
export const inContainer = (fields: JsonObject): JsonObject => inPods({ containers: [{ name: 'a', ...fields }] });

/** Containers with these names. */
export const named = (...names: readonly string[]): JsonObject[] => names.map((name) => ({ name, image: 'i' }));

/** An object of another kind. */
export const object = (apiVersion: string, kind: string, rest: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  ...{ apiVersion, kind, metadata: { name: 'PLACE', ...metadata } },
  ...rest,
});
