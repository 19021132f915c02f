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
    ['needs a type for every value', { type: 'object', properties: { a: {} } }, '.properties[a].type'],
    ['needs items for arrays', { type: 'array' }, '.items'],
    ['cannot have an unknown type', { type: 'foo' }, '.type'],
    [
      'cannot have types in anyOf',
      { type: 'object', anyOf: [{ properties: { a: text } }] },
      '.anyOf[0].properties[a].type',
    ],
    [
      'can have the types integer and string in anyOf of an int-or-string',
      { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, text] },
    ],
    ['cannot have $ref', { type: 'object', $ref: '#/x' }, '.$ref'],
    ['cannot have uniqueItems', { type: 'array', items: text, uniqueItems: true }, '.uniqueItems'],
    ['cannot have an invalid pattern', { type: 'string', pattern: '(' }, '.pattern'],
    [
      'cannot have preserve-unknown-fields false',
      { type: 'object', 'x-orch-preserve-unknown-fields': false },
      '.x-orch-preserve-unknown-fields',
    ],
    [
      'needs items that are atomic in a set',
      { type: 'array', items: { type: 'object' }, 'x-orch-list-type': 'set' },
      '.items.x-orch-map-type',
    ],
    [
      'needs required keys or defaults for keys in a map list',
      {
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text } },
      },
      '.items.properties[k].default',
    ],
    ['cannot have a default of another type', { type: 'integer', default: 'x' }, '.default'],
    ['cannot have unknown fields in a default', { type: 'object', default: { a: 1 } }, '.default'],
    [
      'cannot have a default that fails a rule',
      { type: 'integer', default: 1, 'x-orch-validations': [{ rule: 'self > 1' }] },
      '.default',
    ],
    [
      'cannot have an empty rule or a message with several lines',
      { type: 'integer', 'x-orch-validations': [{ rule: ' ' }, { rule: 'self > 1', message: 'a\nb' }] },
      '.x-orch-validations[0].rule',
      '.x-orch-validations[1].message',
    ],
    [
      'cannot have a rule with a syntax error',
      { type: 'integer', 'x-orch-validations': [{ rule: 'self +' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'cannot have a rule about an unknown field',
      { type: 'object', 'x-orch-validations': [{ rule: 'self.nosuch' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'cannot have a rule that does not return a boolean',
      { type: 'integer', 'x-orch-validations': [{ rule: 'self' }] },
      '.x-orch-validations[0].rule',
    ],
    [
      'cannot have a rule with a high cost estimate',
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
      'cannot have an invalid literal in matches() or in a conversion of a rule',
      {
        ...text,
        'x-orch-validations': [{ rule: "self.matches('(')" }, { rule: "int('x') == 1" }, { rule: "self == 'a'" }],
      },
      '.x-orch-validations[0].rule',
      '.x-orch-validations[1].rule',
    ],
    [
      'cannot have rules for values without a type',
      { 'x-orch-preserve-unknown-fields': true, 'x-orch-validations': [{ rule: 'true' }, { rule: 'x' }] },
      '.x-orch-validations',
    ],
    ['cannot have $schema', { ...text, $schema: 'http://json-schema.org/schema#' }, ''],
    ['cannot have an empty $ref', { ...text, $ref: '' }, '.$ref'],
    [
      'reports only preserve-unknown-fields false if the type is missing as well',
      { 'x-orch-preserve-unknown-fields': false },
      '.x-orch-preserve-unknown-fields',
    ],
    [
      'can have anyOf with several types in a string',
      { type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
    ['can have a default of any type in an int-or-string', { 'x-orch-int-or-string': true, default: true }],
    [
      'reports rules of one field together with an error of another field',
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
      'does not check rules of a field with another error, nor rules of its parents',
      {
        type: 'object',
        'x-orch-validations': [{ rule: 'x' }],
        properties: { a: { ...text, uniqueItems: true, 'x-orch-validations': [{ rule: 'x' }] } },
      },
      '.properties[a].uniqueItems',
    ],
    [
      'does not check rules if a pattern is invalid',
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
      'reports only the default if its rule is invalid',
      { ...text, default: 'a', 'x-orch-validations': [{ rule: 'x' }] },
      '.default',
    ],
    [
      'can have rules with fields that are named as reserved words',
      {
        type: 'object',
        properties: { void: text, var: text, while: text },
        'x-orch-validations': [{ rule: "self.__void__ + self.__var__ + self.__while__ != 'x'" }],
      },
    ],
    [
      'cannot have definitions and dependencies, whose schemas are checked as well',
      { ...text, definitions: { a: { type: 'foo' } }, dependencies: { b: { type: 'foo' }, c: ['x'] } },
      '.definitions',
      '.dependencies',
      '.definitions[a].type',
      '.dependencies[b].type',
    ],
    ['cannot have empty dependencies', { ...text, dependencies: {} }, '.dependencies'],
    ['cannot have a dependency null', { ...text, dependencies: { a: null } }, '.dependencies'],
    [
      'cannot have an embedded object with invalid metadata as default',
      {
        type: 'object',
        'x-orch-embedded-resource': true,
        'x-orch-preserve-unknown-fields': true,
        default: { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
      },
      '.default.metadata',
    ],
    [
      'cannot have a rule with oldSelf for items that are not correlated',
      { type: 'array', maxItems: 5, items: { type: 'integer', 'x-orch-validations': [{ rule: 'self == oldSelf' }] } },
      '.items.x-orch-validations[0].rule',
    ],
  ];
  for (const [what, schema, ...where] of cases) {
    it(what, () => assert.deepEqual(fields(schemaErrors(schema)), where));
  }

  it('can restrict only the name in metadata', () => {
    const root = (meta: object) => fields(schemaErrors(text, { properties: { metadata: meta } }));
    assert.deepEqual(root({ type: 'object', properties: { name: { type: 'string', maxLength: 9 } } }), []);
    assert.deepEqual(root({ type: 'object', example: {}, externalDocs: {} }), []);
    assert.deepEqual(root({ type: 'object', description: 'x' }), ['.properties[metadata]']);
    assert.deepEqual(root({ type: 'object', properties: { labels: { type: 'object' } } }), ['.properties[metadata]']);
    assert.deepEqual(root({ type: 'object', properties: { name: { type: 'string', default: 'x' } } }), [
      '.properties[metadata].properties[name].default',
    ]);
  });

  it('cannot restrict undefined fields at the root', () => {
    const root = (more: object) => fields(schemaErrors(text, more));
    assert.deepEqual(root({ anyOf: [{ properties: { no: { minimum: 1 } } }] }), ['.properties[no]']);
    assert.deepEqual(root({ not: { items: { minimum: 1 } } }), ['.items']);
    assert.deepEqual(root({ allOf: [{ required: ['no'] }] }), []);
    assert.deepEqual(root({ default: {} }), ['.default.apiVersion', '.default.kind']);
  });

  it('shows lists and objects in messages in the form that clients expect', () => {
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

  it('needs bounded time to compile its patterns', function () {
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

  it('does not block other work while its patterns are checked', () => {
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

  it('needs bounded time to check its defaults', () => {
    const alternatives = Array.from({ length: 9 }, (_, i) => ({ pattern: `(a|b)*a(a|b){${i + 90}}c` }));
    let state = 1;
    const letters = Array.from({ length: 20_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return 'ab'[(state >> 16) & 1];
    });
    const errors = schemaErrors({ ...text, anyOf: alternatives, default: letters.join('') });
    assert.match(errors.join().slice(0, 300), /the checks of the defaults take more work than the server does/);
  });

  it('can have at most two hundred levels', () => {
    let deep: object = text;
    for (let i = 0; i < 400; i++) deep = { type: 'object', properties: { a: deep } };
    assert.match(schemaErrors(deep).join(), /nest/);
  });
});
