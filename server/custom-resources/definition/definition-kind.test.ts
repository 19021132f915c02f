import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { atOnce } from '#base/time/steps.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { KindTester } from '../../kinds/testing/kind-tester.ts';
import { createReadMetadata } from '../schema/read-metadata.ts';
import { createDefinitionRules, definitionErrors } from './definition-kind.ts';

const naming = createNaming('orch');
const metadata = loadSchema(naming).message('meta.v1.ObjectMeta');
const context = { naming, readMetadata: createReadMetadata(metadata) };
const tester = new KindTester(
  {
    ...createDefinitionRules(context.readMetadata, naming),
    validate: (definition) => atOnce(definitionErrors(definition, undefined, context)),
    validateUpdate: (definition, old) => atOnce(definitionErrors(definition, old, context)),
  },
  'apiextensions.v1',
  'CustomResourceDefinition',
);
const open = { openAPIV3Schema: { type: 'object', 'x-orch-preserve-unknown-fields': true } };
const version = (more: object = {}) => ({ name: 'v1', served: true, storage: true, schema: open, ...more });
const definition = (spec: object = {}, meta: object = {}) => ({
  metadata: { name: 'widgets.example.com', ...meta },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [version()],
    ...spec,
  },
});
/** Errors of a schema for `spec`, without what stands before it in their paths. */
const schemaErrors = (spec: object, root: object = {}) => {
  const openAPIV3Schema = { type: 'object', properties: { spec }, ...root };
  return tester
    .errors(definition({ versions: [version({ schema: { openAPIV3Schema } })] }))
    .map((line) => line.replace('spec.validation.openAPIV3Schema', '').replace(/^\.properties\[spec\]/, ''));
};
const fields = (errors: readonly string[]) => errors.map((line) => line.slice(0, line.indexOf(': ')));

describe('a definition', () => {
  it('has names, a conversion and a stored version by default', () => {
    const { spec, status } = tester.created(definition());
    assert.deepEqual(spec.names, { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' });
    assert.deepEqual(spec.conversion, { strategy: 'None' });
    assert.deepEqual(status, { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    assert.deepEqual(tester.errors(definition()), []);
  });

  const refused: [what: string, body: object, ...fields: string[]][] = [
    ['another name', definition({}, { name: 'x.example.com' }), 'metadata.name'],
    ['a group without a dot', definition({ group: 'nodots' }, { name: 'widgets.nodots' }), 'spec.group'],
    ['an unknown scope', definition({ scope: 'Global' }), 'spec.scope'],
    ['no version', definition({ versions: [] }), 'spec.versions', 'status.storedVersions'],
    [
      'two stored versions',
      definition({ versions: [version(), version({ name: 'v2' })] }),
      'spec.versions',
      'status.storedVersions',
    ],
    ['a version twice', definition({ versions: [version(), version({ storage: false })] }), 'spec.versions'],
    ['a bad version', definition({ versions: [version({ name: 'V1' })] }), 'spec.versions[0].name', 'spec.version'],
    [
      'no schema',
      definition({ versions: [version({ schema: undefined })] }),
      'spec.versions[0].schema.openAPIV3Schema',
    ],
    [
      'one name for kind and list',
      definition({ names: { plural: 'widgets', kind: 'W', listKind: 'W' } }),
      'spec.names.listKind',
    ],
    [
      'a warning about what is not deprecated',
      definition({ versions: [version({ deprecationWarning: 'x' })] }),
      'spec.versions[0].deprecationWarning',
    ],
    [
      'paths of a scale that are elsewhere',
      definition({
        versions: [version({ subresources: { scale: { specReplicasPath: '.status.a', statusReplicasPath: 'b' } } })],
      }),
      'spec.subresources.scale.specReplicasPath',
      'spec.subresources.scale.statusReplicasPath',
    ],
    [
      'a column of no type',
      definition({ versions: [version({ additionalPrinterColumns: [{ name: 'A', jsonPath: '.a' }] })] }),
      'spec.additionalPrinterColumns[0].type',
    ],
    [
      'a webhook without a client',
      definition({ conversion: { strategy: 'Webhook' } }),
      'spec.conversion.webhookClientConfig',
      'spec.conversion.conversionReviewVersions',
    ],
    [
      'a protected group',
      definition({ group: 'x.orch.io' }, { name: 'widgets.x.orch.io' }),
      'metadata.annotations[api-approved.orch.io]',
    ],
    [
      'a service without a name, where the error also shows the namespace',
      definition({
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { service: { namespace: 'a' } }, conversionReviewVersions: ['v1'] },
        },
      }),
      'spec.conversion.webhookClientConfig.service.namespace',
    ],
    [
      'an empty warning about what is not deprecated',
      definition({ versions: [version({ deprecationWarning: '' })] }),
      'spec.versions[0].deprecationWarning',
    ],
    ['what keeps all unknown fields', definition({ preserveUnknownFields: true }), 'spec.preserveUnknownFields'],
  ];
  for (const [what, body, ...where] of refused) {
    it(`is refused with ${what}`, () => assert.deepEqual(fields(tester.errors(body)), where));
  }

  it('is converted behind a bundle of certificates only, but for one that was stored before', () => {
    const converted = (caBundle: string) => {
      const webhook = { clientConfig: { url: 'https://x', caBundle }, conversionReviewVersions: ['v1'] };
      return definition({ conversion: { strategy: 'Webhook', webhook } });
    };
    const good = Buffer.from(makeAuthority('a').pem).toString('base64');
    const at = 'spec.conversion.webhookClientConfig.caBundle';
    assert.deepEqual(tester.errors(converted(good)), []);
    assert.deepEqual(fields(tester.errors(converted('bm8='))), [at]);
    assert.deepEqual(tester.updateErrors(converted('bm8='), converted('bm8=')), []);
    assert.deepEqual(fields(tester.updateErrors(converted(good), converted('bm8='))), [at]);
  });

  it('has no webhook that says nothing', () => {
    const conversion = { strategy: 'None', webhook: {} };
    assert.deepEqual(tester.created(definition({ conversion })).spec.conversion, { strategy: 'None' });
  });

  it('has any finalizers', () => {
    assert.deepEqual(tester.errors(definition({}, { finalizers: ['x', 'example.com/y'] })), []);
  });

  it('names the version of an error where versions differ', () => {
    const bad = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'foo' } } } };
    const versions = [version({ schema: bad }), version({ name: 'v2', storage: false })];
    assert.deepEqual(fields(tester.errors(definition({ versions }))), [
      'spec.versions[0].schema.openAPIV3Schema.properties[a].type',
    ]);
  });

  it('keeps what others rely on', () => {
    const established = {
      status: {
        conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }],
        acceptedNames: { plural: '', kind: '' },
        storedVersions: ['v1'],
      },
    };
    const change = (spec: object) => fields(tester.updateErrors(definition(), definition(spec)));
    assert.deepEqual(change({}), []);
    assert.deepEqual(change({ group: 'other.example.com' }), ['spec.group']);
    assert.deepEqual(change({ scope: 'Cluster' }), [], 'as long as nothing is served');
    assert.ok(established);
    const versions = [version({ name: 'v2' })];
    assert.deepEqual(change({ versions }), ['status.storedVersions[0]'], 'objects may be stored in the old version');
  });
});

describe('the schema of a definition', () => {
  const text = { type: 'string' };
  const cases: [what: string, schema: object, ...fields: string[]][] = [
    ['says the type of every value', { type: 'object', properties: { a: {} } }, '.properties[a].type'],
    ['says what lists are of', { type: 'array' }, '.items'],
    ['knows six types', { type: 'foo' }, '.type'],
    [
      'says nothing but limits in alternatives',
      { type: 'object', anyOf: [{ properties: { a: text } }] },
      '.anyOf[0].properties[a].type',
    ],
    [
      'may say integer or string in alternatives of those',
      { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, text] },
    ],
    ['has no keywords of other dialects', { type: 'object', $ref: '#/x' }, '.$ref'],
    [
      'has no items that differ by walking all pairs',
      { type: 'array', items: text, uniqueItems: true },
      '.uniqueItems',
    ],
    ['has patterns that can be read', { type: 'string', pattern: '(' }, '.pattern'],
    [
      'keeps unknown fields or does not say',
      { type: 'object', 'x-orch-preserve-unknown-fields': false },
      '.x-orch-preserve-unknown-fields',
    ],
    [
      'has sets of what is compared as a whole',
      { type: 'array', items: { type: 'object' }, 'x-orch-list-type': 'set' },
      '.items.x-orch-map-type',
    ],
    [
      'has keys of maps in every item',
      {
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text } },
      },
      '.items.properties[k].default',
    ],
    ['has defaults of its types', { type: 'integer', default: 'x' }, '.default'],
    ['has defaults without unknown fields', { type: 'object', default: { a: 1 } }, '.default'],
    [
      'has defaults within its rules',
      { type: 'integer', default: 1, 'x-orch-validations': [{ rule: 'self > 1' }] },
      '.default',
    ],
    [
      'has rules',
      { type: 'integer', 'x-orch-validations': [{ rule: ' ' }, { rule: 'self > 1', message: 'a\nb' }] },
      '.x-orch-validations[0].rule',
      '.x-orch-validations[1].message',
    ],
    [
      'has rules that are expressions',
      { type: 'integer', 'x-orch-validations': [{ rule: 'self +' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'has rules about what there is',
      { type: 'object', 'x-orch-validations': [{ rule: 'self.nosuch' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'has rules that are true or false',
      { type: 'integer', 'x-orch-validations': [{ rule: 'self' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'has rules that end soon',
      {
        type: 'array',
        items: { type: 'array', items: text },
        'x-orch-validations': [{ rule: 'self.all(x, x.all(y, self.exists(z, y in z)))' }],
      },
      '.x-orch-validations[0].rule',
      '.x-orch-validations[0].rule',
      '',
    ],
    [
      'has patterns and conversions in rules that can be made',
      {
        ...text,
        'x-orch-validations': [{ rule: "self.matches('(')" }, { rule: "int('x') == 1" }, { rule: "self == 'a'" }],
      },
      '.x-orch-validations[0].rule',
      '.x-orch-validations[1].rule',
    ],
    [
      'has no rules about values of which it says nothing',
      { 'x-orch-preserve-unknown-fields': true, 'x-orch-validations': [{ rule: 'true' }, { rule: 'x' }] },
      '.x-orch-validations',
    ],
    ['names no dialect', { ...text, $schema: 'http://json-schema.org/schema#' }, ''],
    ['refers to no other schema', { ...text, $ref: '' }, '.$ref'],
    ['tells of one kind of error', { 'x-orch-preserve-unknown-fields': false }, '.x-orch-preserve-unknown-fields'],
    ['may be an integer or a text', { type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['has any default where it may be an integer or a text', { 'x-orch-int-or-string': true, default: true }],
    [
      'has rules that are looked at beside what is wrong elsewhere',
      {
        type: 'object',
        properties: {
          a: { ...text, uniqueItems: true },
          b: { ...text, 'x-orch-validations': [{ rule: 'x' }] },
        },
      },
      '.properties[a].uniqueItems',
      '.properties[b].x-orch-validations[0].rule',
    ],
    [
      'has rules that are not looked at where something else is wrong, or below',
      {
        type: 'object',
        'x-orch-validations': [{ rule: 'x' }],
        properties: { a: { ...text, uniqueItems: true, 'x-orch-validations': [{ rule: 'x' }] } },
      },
      '.properties[a].uniqueItems',
    ],
    [
      'has rules that are not looked at where patterns cannot be read, or defaults are wrong',
      {
        type: 'object',
        properties: {
          a: { ...text, 'x-orch-validations': [{ rule: 'x' }] },
          b: { ...text, pattern: '(' },
        },
      },
      '.properties[b].pattern',
    ],
    [
      'has rules that are refused once where a default needs them',
      { ...text, default: 'a', 'x-orch-validations': [{ rule: 'x' }] },
      '.default',
    ],
    [
      'has rules that select fields by names of the language',
      {
        type: 'object',
        properties: { void: text, var: text, while: text },
        'x-orch-validations': [{ rule: "self.__void__ + self.__var__ + self.__while__ != 'x'" }],
      },
    ],
    [
      'defines nothing, and what it defines all the same is looked at',
      { ...text, definitions: { a: { type: 'foo' } }, dependencies: { b: { type: 'foo' }, c: ['x'] } },
      '.definitions',
      '.dependencies',
      '.definitions[a].type',
      '.dependencies[b].type',
    ],
    ['has dependencies that say nothing', { ...text, dependencies: {} }, '.dependencies'],
    ['has dependencies on nothing', { ...text, dependencies: { a: null } }, '.dependencies'],
    [
      'has embedded objects as defaults whose metadata can be read',
      {
        type: 'object',
        'x-orch-embedded-resource': true,
        'x-orch-preserve-unknown-fields': true,
        default: { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
      },
      '.default.metadata',
    ],
    [
      'has no rules about changes where nothing tells what changed',
      { type: 'array', maxItems: 5, items: { type: 'integer', 'x-orch-validations': [{ rule: 'self == oldSelf' }] } },
      '.items.x-orch-validations[0].rule',
    ],
  ];
  for (const [what, schema, ...where] of cases) {
    it(what, () => assert.deepEqual(fields(schemaErrors(schema)), where));
  }

  it('says little about metadata', () => {
    const root = (meta: object) => fields(schemaErrors(text, { properties: { metadata: meta } }));
    assert.deepEqual(root({ type: 'object', properties: { name: { type: 'string', maxLength: 9 } } }), []);
    assert.deepEqual(root({ type: 'object', example: {}, externalDocs: {} }), []);
    assert.deepEqual(root({ type: 'object', description: 'x' }), ['.properties[metadata]']);
    assert.deepEqual(root({ type: 'object', properties: { labels: { type: 'object' } } }), ['.properties[metadata]']);
    assert.deepEqual(root({ type: 'object', properties: { name: { type: 'string', default: 'x' } } }), [
      '.properties[metadata].properties[name].default',
    ]);
  });

  it('restricts at the root only what is there', () => {
    const root = (more: object) => fields(schemaErrors(text, more));
    assert.deepEqual(root({ anyOf: [{ properties: { no: { minimum: 1 } } }] }), ['.properties[no]']);
    assert.deepEqual(root({ not: { items: { minimum: 1 } } }), ['.items']);
    assert.deepEqual(root({ allOf: [{ required: ['no'] }] }), []);
    assert.deepEqual(root({ default: {} }), ['.default.apiVersion', '.default.kind']);
  });

  it('shows lists and objects in messages as clients know them', () => {
    const keyed = (keys: string[], properties: object) => ({
      type: 'array',
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': keys,
      items: { type: 'object', properties, required: keys },
    });
    const shown: [schema: object, text: string][] = [
      [keyed(['a', 'b'], { a: text }), '[]string{"a", "b"}: entries must all be names of item properties'],
      [keyed(['a'], { a: { type: 'array', items: text } }), '"object": must be a scalar type if parent array\'s'],
      [{ type: 'object', default: { a: ['\u200b'] } }, 'map[string]interface {}{"a":[]interface {}{"\\u200b"}}: must'],
      [
        { ...text, 'x-orch-validations': [{ rule: 'self == x // é\u0001', message: '\u007f' }] },
        'ValidationRule{Rule:"self == x // é\\x01", Message:"\\x7f"}: compilation failed',
      ],
    ];
    for (const [schema, part] of shown) {
      const [error = ''] = schemaErrors(schema);
      assert.ok(error.includes(part), error);
    }
  });

  it('has patterns that are made in bounded time', function () {
    this.timeout(20_000);
    const patterns = (count: number, make: (i: number) => string) => {
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`p${i}`, { ...text, pattern: make(i) }]),
      );
      return schemaErrors({ type: 'object', properties });
    };
    const refused = patterns(200, (i) => `^.{1,1000}${i}$`);
    assert.equal(refused.length, 1);
    assert.match(refused[0]!, /pattern: Forbidden: the patterns of a schema have at most 50000 parts together$/);
    assert.deepEqual(
      patterns(200, () => '^.{1,1000}$'),
      [],
      'one that is there many times is made once',
    );
    assert.match(patterns(1, () => 'a{1000}'.repeat(10)).join(), /expression too large/);
  });

  it('lets others have their turn while its patterns are looked at', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { ...text, pattern: `^[a-z${i}]+$` }]);
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: Object.fromEntries(many) } },
    };
    const large = tester.created(definition({ versions: [version({ schema: { openAPIV3Schema } })] }));
    const checks = definitionErrors(large, undefined, context);
    let pauses = 0;
    let step = checks.next();
    for (; step.done !== true; step = checks.next()) pauses++;
    assert.ok(pauses > 0);
    assert.match(step.value.map(({ text }) => text).join(), /have at most 50000 parts together$/);
  });

  it('has defaults that are checked in bounded time', () => {
    const alternatives = Array.from({ length: 9 }, (_, i) => ({ pattern: `(a|b)*a(a|b){${i + 90}}c` }));
    let state = 1;
    const letters = Array.from({ length: 20_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return 'ab'[(state >> 16) & 1];
    });
    const errors = schemaErrors({ ...text, anyOf: alternatives, default: letters.join('') });
    assert.match(errors.join().slice(0, 300), /the checks of the defaults take more work than the server does/);
  });

  it('nests two hundred deep at the most', () => {
    let deep: object = text;
    for (let i = 0; i < 400; i++) deep = { type: 'object', properties: { a: deep } };
    assert.match(schemaErrors(deep).join(), /nest/);
  });
});
