import assert from 'node:assert/strict';
import { type FieldError, FieldPath, inWordsOf } from '#base/errors/field-error.ts';
import { defaultRelease, type ReleaseName, releaseOf } from '#base/release/release.ts';
import {
  isEmptySelector,
  type LabelSelector,
  labelMatcher,
  labelSelectorText,
  validateLabelSelector,
} from './label-selector.ts';
import { type NodeSelectorTerm, validateNodeSelector, validatePreferredTerms } from './node-selector.ts';

const PATH = new FieldPath('s');
const fields = (errors: readonly FieldError[]) => errors.map(({ field, body }) => `${field}: ${body}`);

const NAME_PART = 'name part must consist of alphanumeric';

describe('label selectors', () => {
  const rows: [what: string, selector: LabelSelector | null | undefined, errors: string[]][] = [
    ['an undefined selector', undefined, []],
    ['a null selector', null, []],
    ['an empty selector', {}, []],
    ['labels', { matchLabels: { a: 'b' } }, []],
    ['an invalid key', { matchLabels: { 'b d': 'c' } }, [`s.matchLabels: Invalid value: "b d": ${NAME_PART}`]],
    [
      'values that are not valid as label values',
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] },
      [],
    ],
    [
      'In without values',
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      ["s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotI"],
    ],
    [
      'Exists with values',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['v'] }] },
      ["s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' "],
    ],
    [
      'an unknown operator and no key',
      { matchExpressions: [{ operator: 'Gt' }] },
      [
        's.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator',
        's.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
        `s.matchExpressions[0].key: Invalid value: "": ${NAME_PART}`,
      ],
    ],
  ];
  const releases: readonly (readonly [release: ReleaseName, ofLabels: number, ofNodes: number])[] = [
    ['1.25', 0, 0],
    ['1.26', 1, 0],
    ['1.32', 1, 0],
    ['1.33', 1, 1],
  ];
  for (const [release, ofLabels, ofNodes] of releases)
    it(`have ${ofLabels} errors of a value, and ${ofNodes} if they select nodes, in ${release}`, () => {
      const matchExpressions = [{ key: 'a', operator: 'In', values: ['b c'] }];
      const found = [
        validateLabelSelector({ matchExpressions }, PATH),
        validateNodeSelector({ nodeSelectorTerms: [{ matchExpressions }] }, PATH),
      ];
      assert.deepEqual(
        found.map((errors) => inWordsOf(errors, releaseOf(release)).length),
        [ofLabels, ofNodes],
      );
    });

  for (const [what, selector, errors] of rows) {
    it(what, () => {
      const found = fields(inWordsOf(validateLabelSelector(selector, PATH), defaultRelease));
      assert.deepEqual(
        found.map((text, i) => text.slice(0, errors[i]?.length ?? text.length)),
        errors,
      );
    });
  }

  const matches: [selector: LabelSelector | undefined, selected: object[], others: object[]][] = [
    [undefined, [], [{}, { a: '1' }]],
    [{}, [{}, { a: '1' }], []],
    [{ matchLabels: { a: '1' } }, [{ a: '1', b: '2' }], [{}, { a: '2' }]],
    [{ matchLabels: { a: '' } }, [{ a: '' }], [{}]],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, [{ a: '2' }], [{}, { a: '3' }]],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, [{}, { a: '2' }], [{ a: '1' }]],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: [''] }] }, [{}, { a: '2' }], [{ a: '' }]],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, [{ a: '' }], [{}]],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, [{}], [{ a: '' }]],
    [{ matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, [{ toString: 'x' }], [{}]],
  ];
  for (const [selector, selected, others] of matches) {
    it(`${JSON.stringify(selector)} selects the right labels`, () => {
      const match = labelMatcher(selector);
      for (const labels of selected)
        assert.equal(match(labels as Record<string, string>), true, JSON.stringify(labels));
      for (const labels of others) assert.equal(match(labels as Record<string, string>), false, JSON.stringify(labels));
    });
  }

  it('has a text form with sorted keys and values', () => {
    const selector = {
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'd', operator: 'DoesNotExist' },
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'NotIn', values: ['z'] },
        { key: 'e', operator: 'Exists' },
      ],
    };
    assert.equal(labelSelectorText(selector), 'a in (x,y),b=1,c notin (z),!d,e');
    assert.equal(labelSelectorText({ matchLabels: { app: 'd' } }), 'app=d');
    assert.equal(labelSelectorText(undefined), '');
    assert.equal(isEmptySelector({ matchLabels: {} }), true);
    assert.equal(isEmptySelector(selector), false);
  });
});

describe('node selectors', () => {
  const rows: [what: string, term: NodeSelectorTerm, errors: string[]][] = [
    ['In', { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, []],
    ['Gt', { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }, []],
    [
      'Lt with two values',
      { matchExpressions: [{ key: 'a', operator: 'Lt', values: ['1', '2'] }] },
      ["matchExpressions[0].values: Required value: must be specified single value when `operator` is 'L"],
    ],
    [
      'Exists with a value',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] },
      ['matchExpressions[0].values: Forbidden: may not be specified'],
    ],
    [
      'an unknown operator',
      { matchExpressions: [{ key: 'a', operator: 'Odd' }] },
      ['matchExpressions[0].operator: Invalid value: "Odd"'],
    ],
    ['a node selected by name', { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }, []],
    [
      'a node selected by two names',
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n', 'm'] }] },
      ['matchFields[0].values: Required value: must be only one value'],
    ],
    [
      'a node selected by an invalid name',
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['N'] }] },
      ['matchFields[0].values[0]: Invalid value: "N": a lowercase RFC 1123 subdomain'],
    ],
    [
      'an unknown field with an invalid operator',
      { matchFields: [{ key: 'metadata.namespace', operator: 'Exists' }] },
      [
        'matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
        'matchFields[0].key: Invalid value: "metadata.namespace": not a valid field selector key',
      ],
    ],
  ];
  for (const [what, term, errors] of rows) {
    it(what, () => {
      const found = fields(validateNodeSelector({ nodeSelectorTerms: [term] }, PATH));
      assert.deepEqual(
        found.map((text, i) => text.replace('s.nodeSelectorTerms[0].', '').slice(0, errors[i]?.length ?? text.length)),
        errors,
      );
    });
  }

  it('require at least one term, and preferences require a weight from 1 to 100', () => {
    assert.deepEqual(fields(validateNodeSelector({}, PATH)), [
      's.nodeSelectorTerms: Required value: must have at least one node selector term',
    ]);
    assert.deepEqual(fields(validatePreferredTerms([{ weight: 101 }, { weight: 100 }, {}], PATH)), [
      's[0].weight: Invalid value: 101: must be in the range 1-100',
      's[2].weight: Invalid value: 0: must be in the range 1-100',
    ]);
  });
});
