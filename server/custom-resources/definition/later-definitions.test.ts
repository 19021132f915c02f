import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { atOnce } from '#base/time/steps.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { createReadMetadata } from '../schema/read-metadata.ts';
import { createDefinitionRules, definitionErrors } from './definition-kind.ts';
import { definition as definitionOf, version } from './testing/definition-tester.ts';

const naming = createNaming('orch');

function contextOf(release: ReleaseName) {
  const metadata = loadSchema(naming, releaseOf(release)).message('meta.v1.ObjectMeta');
  return { naming, release: releaseOf(release), readMetadata: createReadMetadata(metadata) };
}

const properties = {
  s: { type: 'string', maxLength: 20 },
  n: { type: 'integer' },
  l: { type: 'array', maxItems: 5, items: { type: 'string' } },
  m: { type: 'object', additionalProperties: { type: 'string' } },
  p: { 'x-orch-int-or-string': true },
};

function definition(more: object, spec: object = {}): CustomResourceDefinition {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties, ...spec } } };
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const made = definitionOf({ names, versions: [version({ schema: { openAPIV3Schema }, ...more })] });
  const status = { conditions: [], acceptedNames: { plural: 'widgets', kind: 'Widget' }, storedVersions: ['v1'] };
  return asObject({ ...made, status }) as unknown as CustomResourceDefinition;
}

const withRule = (rule: object) => definition({}, { 'x-orch-validations': [rule] });

/** Errors with their paths. The paths begin at the rule. */
function problems(
  definition: CustomResourceDefinition,
  release: ReleaseName,
  old?: CustomResourceDefinition,
): string[] {
  return atOnce(definitionErrors(definition, old, contextOf(release))).map(({ text }) =>
    text.replace(/^spec\.validation\.openAPIV3Schema\.properties\[spec\]\.x-orch-validations\[0\]\./, ''),
  );
}

const SHOWN =
  '{"Rule":"self.n == 1","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}';

/** The errors of a rule in the latest release. */
const RULES: [rule: object, problems: string[]][] = [
  [{ rule: 'self.n == 1', messageExpression: "'s is ' + self.s", reason: 'FieldValueInvalid' }, []],
  [
    { rule: 'self.n == 1', messageExpression: '1' },
    [`messageExpression: Invalid value: ${SHOWN}: messageExpression must evaluate to a string`],
  ],
  [
    { rule: 'self.n == 1', messageExpression: ' ' },
    [
      'messageExpression: Required value: messageExpression must be non-empty if specified',
      'messageExpression: Invalid value: {"Rule":"self.n == 1","Message":"","MessageExpression":" ","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:2: Syntax error: Unexpected token: EOF\n |  \n | .^',
    ].slice(0, 1),
  ],
  [
    { rule: 'self.n == 1', reason: 'Nosuch' },
    [
      'reason: Unsupported value: "Nosuch": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  [{ rule: 'self.n == 1', fieldPath: '.n' }, []],
  [{ rule: 'self.n == 1', fieldPath: '.x' }, ['fieldPath: Invalid value: ".x": must be a valid path']],
  [
    { rule: 'self.n == 1', fieldPath: ' ' },
    [
      'fieldPath: Invalid value: " ": must be non-empty if specified',
      'fieldPath: Invalid value: " ": must be a valid path',
    ],
  ],
  [
    { rule: 'self.n == 1', optionalOldSelf: false },
    ['optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule'],
  ],
  [{ rule: 'self.n == oldSelf.?n.orValue(1)', optionalOldSelf: true }, []],
  [{ rule: '["a"].sort() == ["a"] && self.?s.hasValue()' }, []],
];

describe('a rule in the last release', () => {
  for (const [rule, expected] of RULES)
    it(`is ${expected.length === 0 ? 'accepted' : 'refused'}: ${JSON.stringify(rule)}`, () => {
      assert.deepEqual(problems(withRule(rule), '1.37'), expected);
    });
});

describe('an expression in a definition', () => {
  const sorts = withRule({ rule: '["a"].sort() == ["a"]' });

  it('can use only functions of its release', () => {
    assert.equal(problems(sorts, '1.34').length, 0);
    assert.match(problems(sorts, '1.33')[0]!, /undeclared reference to 'sort'/);
  });

  it('can keep functions of a later release if the definition is updated', () => {
    assert.deepEqual(problems(sorts, '1.33', sorts), []);
  });

  const dear = definition(
    {},
    {
      properties: { l: { type: 'array', items: { type: 'string' } } },
      'x-orch-validations': [{ rule: 'self.l.all(x, self.l.exists(y, x == y && x.size() > 1))' }],
    },
  );
  it('can keep a too high cost estimate since 1.29 if the schema is unchanged', () => {
    const each = (release: ReleaseName) =>
      problems(dear, release, dear).filter((text) => text.includes('estimated rule cost exceeds'));
    assert.deepEqual([each('1.28').length, each('1.29').length], [1, 0]);
  });
});

/** The errors of selectable fields. */
const SELECTABLE: [paths: string[], problems: string[]][] = [
  [['.spec.s', '.spec.n', '.spec.m.k'], []],
  [['spec.s'], ['[0].jsonPath: Invalid value: "spec.s": is an invalid path: expected [ or . but got: spec']],
  [[''], ['[0].jsonPath: Required value']],
  [['.spec.x'], ['[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field']],
  [['.spec.l[0]'], ['[0].jsonPath: Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed']],
  [
    ['.spec.l', '.spec.p'],
    ['.spec.l', '.spec.p'].map(
      (path, i) =>
        `[${i}].jsonPath: Invalid value: "${path}": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
    ),
  ],
  [['.spec.s', '.spec.s'], ['[1].jsonPath: Duplicate value: ".spec.s"']],
  [Array.from({ length: 8 }, (_, i) => `.spec.m.k${i}`), []],
  [Array.from({ length: 9 }, (_, i) => `.spec.m.k${i}`), [': Too many: 9: must have at most 8 items']],
];

describe('selectable fields', () => {
  const selecting = (paths: readonly string[]) =>
    definition({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
  for (const [paths, expected] of SELECTABLE)
    it(`are ${expected.length === 0 ? 'accepted' : 'refused'}: ${paths.join()}`, () => {
      assert.deepEqual(
        problems(selecting(paths), '1.37').map((text) => text.replace('spec.selectableFields', '')),
        expected,
      );
    });

  it('are accepted if the stored definition already has too many', () => {
    const many = selecting(SELECTABLE.at(-1)![0]);
    assert.deepEqual(problems(many, '1.37', many), []);
  });
});

describe('warnings about a definition', () => {
  const formats = (...all: [type: string, format: string][]) =>
    definition({}, { properties: Object.fromEntries(all.map(([type, format], i) => [`p${i}`, { type, format }])) });
  const warnings = (one: CustomResourceDefinition, release: ReleaseName, old?: CustomResourceDefinition) =>
    createDefinitionRules(contextOf(release)).warnings?.(one, old, undefined as never) ?? [];
  const odd = formats(['string', 'nosuch'], ['integer', 'string'], ['string', 'int64'], ['object', 'date']);

  it('name unknown formats', () => {
    const expected = ['nosuch', 'string', 'int64', 'date'].map((format) => `unrecognized format "${format}"`);
    assert.deepEqual(warnings(odd, '1.34'), expected);
    assert.deepEqual(warnings(odd, '1.33'), []);
    assert.deepEqual(
      warnings(formats(['string', 'email'], ['string', 'orch-short-name'], ['number', 'float']), '1.34'),
      [],
    );
  });

  it('do not name formats that the stored definition already had', () => {
    assert.deepEqual(warnings(odd, '1.37', odd), []);
  });
});
