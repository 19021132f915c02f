import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { WordsSource } from '#schema/words/load.ts';
import { Words } from '#schema/words/words.ts';
import { MessageDefinitions } from './message-definitions.ts';
import type { Form } from './model.ts';

/** The text with `@Name` for a reference to a schema with this last name, and `x:` for the prefix of extensions. */
function short(value: unknown, extensionPrefix: string): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\{"\$ref":"[^"]*\.(\w+)"\}/g, '"@$1"')
    .replaceAll(`"${extensionPrefix}`, '"x:');
  return JSON.parse(text) as unknown;
}

/** One property, or the whole schema, in both forms. */
const cases: readonly [message: string, property: string | undefined, v2: unknown, v3: unknown][] = [
  ['core.v1.ServicePort', 'name', { type: 'string' }, { type: 'string' }],
  [
    'core.v1.ServicePort',
    'port',
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int32', default: 0 },
  ],
  [
    'core.v1.ServicePort',
    'protocol',
    { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
    { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
  ],
  ['core.v1.ServicePort', 'targetPort', '@IntOrString', { allOf: ['@IntOrString'], default: {} }],
  ['core.v1.EnvVar', 'valueFrom', '@EnvVarSource', { allOf: ['@EnvVarSource'] }],
  ['core.v1.PodSpec', 'hostNetwork', { type: 'boolean' }, { type: 'boolean' }],
  [
    'core.v1.PodSpec',
    'nodeSelector',
    { type: 'object', additionalProperties: { type: 'string' }, 'x:map-type': 'atomic' },
    { type: 'object', additionalProperties: { type: 'string', default: '' }, 'x:map-type': 'atomic' },
  ],
  [
    'core.v1.PodSpec',
    'volumes',
    { type: 'array', items: '@Volume', 'x:patch-merge-key': 'name', 'x:patch-strategy': 'merge,retainKeys' },
    {
      type: 'array',
      items: { allOf: ['@Volume'], default: {} },
      'x:patch-merge-key': 'name',
      'x:patch-strategy': 'merge,retainKeys',
    },
  ],
  [
    'core.v1.ServiceSpec',
    'ports',
    {
      type: 'array',
      items: '@ServicePort',
      'x:list-map-keys': ['port', 'protocol'],
      'x:list-type': 'map',
      'x:patch-merge-key': 'port',
      'x:patch-strategy': 'merge',
    },
    {
      type: 'array',
      items: { allOf: ['@ServicePort'], default: {} },
      'x:list-map-keys': ['port', 'protocol'],
      'x:list-type': 'map',
      'x:patch-merge-key': 'port',
      'x:patch-strategy': 'merge',
    },
  ],
  [
    'core.v1.ConfigMap',
    'binaryData',
    { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  ],
  [
    'authentication.v1.UserInfo',
    'extra',
    { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', default: '' } } },
  ],
  [
    'meta.v1.APIResource',
    'verbs',
    { type: 'array', items: { type: 'string' } },
    { type: 'array', items: { type: 'string', default: '' } },
  ],
  ['resource.Quantity', undefined, { type: 'string' }, { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    'intstr.IntOrString',
    undefined,
    { type: 'string', format: 'int-or-string' },
    { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  ],
  ['meta.v1.MicroTime', undefined, { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  ['runtime.RawExtension', undefined, { type: 'object' }, { type: 'object' }],
  ['apiextensions.v1.JSON', undefined, {}, {}],
  [
    'core.v1.SecretReference',
    undefined,
    {
      type: 'object',
      properties: { name: { type: 'string' }, namespace: { type: 'string' } },
      'x:map-type': 'atomic',
    },
    {
      type: 'object',
      properties: { name: { type: 'string' }, namespace: { type: 'string' } },
      'x:map-type': 'atomic',
    },
  ],
  [
    'core.v1.ConfigMapList',
    undefined,
    {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: '@ConfigMap' },
        kind: { type: 'string' },
        metadata: '@ListMeta',
      },
      'x:group-version-kind': [{ group: '', kind: 'ConfigMapList', version: 'v1' }],
    },
    {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: { allOf: ['@ConfigMap'], default: {} } },
        kind: { type: 'string' },
        metadata: { allOf: ['@ListMeta'], default: {} },
      },
      'x:group-version-kind': [{ group: '', kind: 'ConfigMapList', version: 'v1' }],
    },
  ],
];

describe('OpenAPI schemas of messages', () => {
  const naming = createNaming('orch');
  const schema = loadSchema(naming);
  const definitions = new MessageDefinitions(loadSchema(naming), naming);

  for (const [name, property, v2, v3] of cases) {
    it(`${name}${property === undefined ? '' : `.${property}`}`, () => {
      const shown = (form: Form): unknown => {
        const whole = definitions.of(schema.message(name)).schema(form);
        const { [property ?? '']: one } = (whole['properties'] ?? {}) as Record<string, unknown>;
        return short(property === undefined ? whole : one, naming.extensionPrefix);
      };
      assert.deepEqual({ v2: shown('v2'), v3: shown('v3') }, { v2, v3 });
    });
  }

  it('contain required fields in the order of their declaration', () => {
    const required = (name: string): unknown => definitions.of(schema.message(name)).schema('v2')['required'];
    assert.deepEqual(required('meta.v1.OwnerReference'), ['apiVersion', 'kind', 'name', 'uid']);
    assert.deepEqual(required('discovery.v1.EndpointSlice'), ['addressType', 'endpoints']);
    assert.deepEqual(required('networking.v1.HTTPIngressPath'), ['pathType', 'backend']);
  });

  it('contain their references, even behind lists that are messages on the wire', () => {
    const names = (name: string): string[] =>
      definitions.of(schema.message(name)).references.map((one) => one.name.replace(/.*\./, ''));
    assert.deepEqual(names('core.v1.ConfigMapList'), ['ListMeta', 'ConfigMap']);
    assert.deepEqual(names('meta.v1.APIResource'), []);
    assert.deepEqual(names('resource.Quantity'), []);
  });

  it('contain descriptions if there are any, even next to references', async () => {
    const read: WordsSource = {
      hash: 'h',
      load: async () => new Words({ 'core.Pod': { about: 'Runs.', fields: { spec: 'What runs.' } } }, naming),
    };
    const withWords = new MessageDefinitions(schema, naming, read).of(schema.message('core.v1.Pod'));
    const pod = await withWords.described!('v3');
    const { spec, metadata, kind, status } = pod['properties'] as Record<string, { readonly [name: string]: unknown }>;
    assert.equal(pod['description'], 'Runs.');
    assert.equal(spec!['description'], 'What runs.');
    assert.match(String(metadata!['description']), /^Standard object's metadata/);
    assert.match(String(kind!['description']), /^Kind is/);
    assert.match(String(status!['description']), /^Written by the node of the pod\./, 'facts alone');
    assert.deepEqual(Object.keys(spec!), ['description', 'allOf', 'default']);
    const without = await definitions.of(schema.message('core.v1.Pod')).described!('v3');
    assert.deepEqual(without, withWords.schema('v3'));
  });

  it('are created once for each message', () => {
    const message = schema.message('core.v1.Pod');
    assert.equal(definitions.of(message), definitions.of(message));
  });
});

describe('properties by release', () => {
  const rows: readonly (readonly [release: ReleaseName, message: string, property: string, v3: unknown])[] = [
    ['1.29', 'core.v1.PodSpec', 'volumes', { 'x:patch-merge-key': 'name', 'x:patch-strategy': 'merge,retainKeys' }],
    [
      '1.30',
      'core.v1.PodSpec',
      'volumes',
      {
        'x:list-map-keys': ['name'],
        'x:list-type': 'map',
        'x:patch-merge-key': 'name',
        'x:patch-strategy': 'merge,retainKeys',
      },
    ],
    ['1.29', 'core.v1.Container', 'args', { items: { type: 'string', default: '' } }],
    ['1.30', 'core.v1.Container', 'args', { items: { type: 'string', default: '' }, 'x:list-type': 'atomic' }],
    ['1.37', 'core.v1.Container', 'args', { items: { type: 'string' }, 'x:list-type': 'atomic' }],
    ['1.30', 'meta.v1.ObjectMeta', 'finalizers', { 'x:list-type': 'set', 'x:patch-strategy': 'merge' }],
    ['1.37', 'core.v1.PodList', 'items', { type: 'array', items: '@Pod' }],
    ['1.28', 'core.v1.HTTPGetAction', 'port', { allOf: ['@IntOrString'], default: {} }],
    ['1.29', 'core.v1.HTTPGetAction', 'port', { allOf: ['@IntOrString'] }],
  ];
  for (const [release, message, property, v3] of rows)
    it(`${message}.${property} in ${release}`, () => {
      const naming = createNaming('orch');
      const schema = loadSchema(naming, releaseOf(release));
      const definition = new MessageDefinitions(schema, naming).of(schema.message(message)).schema('v3');
      const made = short(definition, naming.extensionPrefix) as { properties: Record<string, object> };
      const wanted = v3 as object;
      const shown = Object.entries(made.properties[property]!).filter(
        ([name]) => name in wanted || name.startsWith('x:'),
      );
      assert.deepEqual(Object.fromEntries(shown), wanted);
      if ('default' in made.properties[property]!) assert.ok('default' in wanted);
    });
});
