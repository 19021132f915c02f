import type { JsonObject } from '#base/json/json-value.ts';
import { Random } from '../random.ts';
import { makeSchema } from './make-schema.ts';

/** The number of kinds, and the number of successive definitions of each. */
export const KINDS = 8;
export const VARIANTS = 24;

/** One of the definitions of a kind. Equal numbers give equal definitions. */
export interface Variant {
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The schemas of the versions, by name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly definition: JsonObject;
}

/** @param webhook the URL of the conversion webhook, and the authority that the server must trust for it, in base64 */
export function makeVariant(
  seed: number,
  kind: number,
  variant: number,
  webhook: { readonly url: string; readonly caBundle: string },
): Variant {
  const random = new Random(seed * 7919 + kind, variant);
  // There are two kinds in each group, so that a change of one kind affects the lookup of the other.
  const group = `g${kind >> 1}.fuzz.example.com`;
  const plural = `things${kind}`;
  const name = `${plural}.${group}`;
  const namespaced = kind % 4 !== 3;
  // A version in which objects have been stored cannot be removed. Mostly, all variants have the same versions.
  const versions = ['v1', 'v1beta1', 'v2'].slice(0, random.chance(0.9) ? 1 + (kind % 3) : 2);
  const schemas = new Map(versions.map((version) => [version, rootSchema(random)]));
  const converts = versions.length > 1 && random.chance(0.4);
  const storage = random.pick(versions);
  const spec: JsonObject = {
    group,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    names: {
      plural,
      kind: `Thing${kind}`,
      ...(random.chance(0.3) && { shortNames: [random.pick(['t', `t${kind}`])] }),
      ...(random.chance(0.2) && { categories: ['all'] }),
    },
    ...(converts && {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
          conversionReviewVersions: ['v1', 'v1beta1'],
        },
      },
    }),
    versions: versions.map(
      (version): JsonObject => ({
        name: version,
        served: version === storage || random.chance(0.9),
        storage: version === storage,
        ...(random.chance(0.1) && { deprecated: true, deprecationWarning: 'old' }),
        schema: { openAPIV3Schema: schemas.get(version)! },
        ...(random.chance(0.5) && {
          subresources: {
            ...(random.chance(0.7) && { status: {} }),
            ...(random.chance(0.5) && {
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            }),
          },
        }),
        ...(random.chance(0.4) && {
          additionalPrinterColumns: [
            { name: 'A', type: 'string', jsonPath: random.pick(['.spec.a', '.spec[*]', '.spec.b[0].name', '.status']) },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        }),
      }),
    ),
  };
  const definition = {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec,
  };
  return { name, group, plural, kind: `Thing${kind}`, namespaced, schemas, definition };
}

function rootSchema(random: Random): JsonObject {
  return {
    type: 'object',
    properties: {
      spec: makeSchema(random),
      status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
      ...(random.chance(0.2) && { extra: makeSchema(random, 1) }),
    },
    ...(random.chance(0.1) && { 'x-orch-preserve-unknown-fields': true }),
    ...(random.chance(0.1) && { required: ['spec'] }),
  };
}
