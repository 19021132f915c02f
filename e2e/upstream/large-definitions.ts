import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';

/**
 * Definitions in the form that large operators ship. They have tens of kilobytes of schema, which is deep and has long
 * texts.
 */

export const GROUP = 'stores.example.com';

const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more });
const whole = (description: string, more: JsonObject = {}): JsonObject => ({
  type: 'integer',
  format: 'int32',
  description,
  ...more,
});
const object = (description: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  description,
  properties,
  ...more,
});

/** The kind of text that schemas contain. */
const PROSE =
  'It is looked at when a member starts and again whenever it changes. Members that run already go on with what they were ' +
  'started with until their turn has come, so that there is always a majority of them. Leave it out unless you know why.';

/** Nested settings with this number of levels. */
function settings(depth: number): JsonObject {
  const own = Object.fromEntries(
    ['limit', 'burst', 'window', 'policy'].map((name) => [name, text(`The ${name} at level ${depth}. ${PROSE}`)]),
  );
  return object(`Settings at level ${depth}. ${PROSE}`, depth === 0 ? own : { ...own, inner: settings(depth - 1) });
}

interface DefinitionParts {
  readonly plural: string;
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly versions: readonly JsonObject[];
  readonly conversion?: JsonObject;
}

function definition(
  naming: Naming,
  { plural, kind, scope = 'Namespaced', shortNames = [], versions, conversion }: DefinitionParts,
) {
  return {
    apiVersion: naming.apiVersion('apiextensions', 'v1'),
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), shortNames: [...shortNames], categories: ['all'] },
      versions: [...versions],
      ...(conversion !== undefined && { conversion }),
    },
  } satisfies JsonObject;
}

function version(name: string, properties: JsonObject, more: JsonObject = {}): JsonObject {
  const openAPIV3Schema = object(`A store, in ${name}. ${PROSE}`, properties);
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema }, ...more };
}

/** A kind that is ten levels deep, with lists by key, rules and defaults. */
export function deepDefinition(naming: Naming): JsonObject {
  const x = naming.extensionPrefix;
  const member = object(
    `One member. ${PROSE}`,
    {
      name: text('What it is called.', { maxLength: 63, pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' }),
      weight: whole('How many votes it has.', { minimum: 0, maximum: 7, default: 1 }),
      settings: settings(3),
    },
    { required: ['name'] },
  );
  const spec = object(
    `What is wanted. ${PROSE}`,
    {
      size: whole('How many members there are.', { minimum: 1, maximum: 99, default: 3 }),
      members: {
        type: 'array',
        description: 'Members that differ from others.',
        maxItems: 50,
        items: member,
        [`${x}list-type`]: 'map',
        [`${x}list-map-keys`]: ['name'],
      },
      settings: settings(10),
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [
          `option${i}`,
          object(`Option ${i}. ${PROSE}`, {
            enabled: { type: 'boolean', description: `Whether option ${i} is used. ${PROSE}`, default: false },
            value: { description: `How much of it. ${PROSE}`, [`${x}int-or-string`]: true },
          }),
        ]),
      ),
    },
    {
      [`${x}validations`]: [
        { rule: '!has(self.members) || self.members.size() <= self.size', message: 'more members than there are' },
      ],
    },
  );
  const status = object('What is seen.', { phase: text('How far it is.'), ready: whole('How many members answer.') });
  const columns: JsonObject[] = [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'First', type: 'string', jsonPath: '.spec.members[0].name', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  return definition(naming, {
    plural: 'databases',
    kind: 'Database',
    shortNames: ['db'],
    versions: [version('v1', { spec, status }, { subresources: { status: {} }, additionalPrinterColumns: columns })],
  });
}

/**
 * A kind in two versions, between which a webhook converts. `workers` in one version is `replicas` in the other. The
 * kind can be scaled.
 */
export function convertedDefinition(naming: Naming, clientConfig: JsonObject): JsonObject {
  const common = { settings: settings(8), selector: text('Whose members count.') };
  const status = object('What is seen.', {
    replicas: whole('How many there are.'),
    selector: text('The same as text.'),
  });
  const scaled = (field: string): JsonObject => ({
    subresources: {
      status: {},
      scale: {
        specReplicasPath: `.spec.${field}`,
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    additionalPrinterColumns: [{ name: 'Wanted', type: 'integer', jsonPath: `.spec.${field}` }],
  });
  const spec = (field: string) =>
    object('What is wanted.', { ...common, [field]: whole('How many to run.', { minimum: 0 }) });
  return definition(naming, {
    plural: 'pipelines',
    kind: 'Pipeline',
    shortNames: ['pl'],
    versions: [
      version('v1', { spec: spec('replicas'), status }, scaled('replicas')),
      version('v1beta1', { spec: spec('workers'), status }, { ...scaled('workers'), deprecated: true }),
    ],
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
  });
}

/** The conversion that the webhook of {@link convertedDefinition} does. */
export function convertPipeline(pipeline: JsonObject, to: string): JsonObject {
  const { workers, replicas, ...spec } = (pipeline['spec'] ?? {}) as JsonObject;
  const count = workers ?? replicas;
  const named = count === undefined ? {} : { [to.endsWith('/v1') ? 'replicas' : 'workers']: count };
  return { ...pipeline, spec: { ...spec, ...named } };
}

/** A cluster-scoped kind that keeps unknown fields, with nested objects. */
export function openDefinition(naming: Naming): JsonObject {
  const x = naming.extensionPrefix;
  const spec = object(`What is wanted. ${PROSE}`, {
    template: {
      type: 'object',
      description: 'Any object.',
      [`${x}embedded-resource`]: true,
      [`${x}preserve-unknown-fields`]: true,
    },
    values: { type: 'object', description: 'Anything.', [`${x}preserve-unknown-fields`]: true },
    ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`layer${i}`, settings(1)])),
  });
  return definition(naming, { plural: 'meshes', kind: 'Mesh', scope: 'Cluster', versions: [version('v1', { spec })] });
}
