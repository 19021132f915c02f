import assert from 'node:assert/strict';
import { definitionErrors } from './definition-kind.ts';

import { context, definition, fields, tester, version } from './testing/definition-tester.ts';

/** Errors of a schema for `spec`, with shortened paths. */
const schemaErrors = (spec: object, root: object = {}) => {
  const openAPIV3Schema = { type: 'object', properties: { spec }, ...root };
  return tester
    .errors(definition({ versions: [version({ schema: { openAPIV3Schema } })] }))
    .map((line) => line.replace('spec.validation.openAPIV3Schema', '').replace(/^\.properties\[spec\]/, ''));
};
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
