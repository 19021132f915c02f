import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { KnownDifferences } from './known-differences.ts';

const text = `# what this is

crd-  defined kinds are not built
kinds-  the kinds come later

orch/rest-paths/a  one reason
orch/rest-paths/b  another reason
`;

describe('KnownDifferences', () => {
  it('lists whole areas or single scenarios', () => {
    const known = KnownDifferences.parse(text);
    assert.equal(known.areaReason('crd-instances'), 'defined kinds are not built');
    assert.equal(known.areaReason('rest-paths'), undefined);
    assert.equal(known.scenarioReason('orch/rest-paths/b'), 'another reason');
    assert.equal(known.toString(), text);
  });

  const rows: readonly [what: string, line: string, mustDiffer: boolean][] = [
    ['a scenario that is listed', 'orch/a/b  a reason', true],
    ['a scenario that passes by chance', 'orch/a/b  by chance: a reason', false],
    ['a scenario that is not listed', 'orch/a/c  a reason', false],
  ];
  for (const [what, line, mustDiffer] of rows)
    it(`knows whether ${what} must differ: ${mustDiffer}`, () =>
      assert.equal(KnownDifferences.parse(line).mustDiffer('orch/a/b'), mustDiffer));

  it('is updated from a run and keeps the reasons', () => {
    const run = new Map([
      ['orch/rest-paths/a', undefined],
      ['orch/rest-paths/b', 'status wanted 200'],
      ['orch/rest-lists/c', 'status wanted 201'],
    ]);
    assert.equal(
      KnownDifferences.parse(text).after(run).toString(),
      text.replace('orch/rest-paths/a  one reason', 'orch/rest-lists/c  status wanted 201'),
    );
  });

  it('keeps intended differences separate', () => {
    const both = `${text}
# Meant
# the others are wrong

orch/rest-paths/m  the recorded port is that of another server
`;
    const known = KnownDifferences.parse(both);
    assert.equal(known.toString(), both);
    assert.equal(known.scenarioReason('orch/rest-paths/m'), 'the recorded port is that of another server');
    const differs = new Map([['orch/rest-paths/m', 'status wanted 200']]);
    assert.equal(known.after(differs).toString(), both);
    const passes = new Map([['orch/rest-paths/m', undefined]]);
    assert.equal(known.after(passes).scenarioReason('orch/rest-paths/m'), undefined);
    assert.throws(() => KnownDifferences.parse(`${both}orch/rest-paths/a  again`), /listed twice/);
    assert.throws(() => KnownDifferences.parse(`${both}rest-  all of it`), /only single scenarios/);
  });

  it('requires a reason, and refuses duplicates', () => {
    assert.throws(() => KnownDifferences.parse('orch/a/b'), /a reason is missing/);
    assert.throws(() => KnownDifferences.parse('orch/a/b  x\norch/a/b  y'), /listed twice/);
  });

  it('formats the file of this project unchanged', () => {
    const file = readFileSync(new URL('known-differences.txt', import.meta.url), 'utf8');
    assert.equal(KnownDifferences.parse(file).toString(), file);
  });
});
