import assert from 'node:assert/strict';
import { type FieldLabels, parseFieldSelector } from './field-selector.ts';

const LABELS: FieldLabels = { accepted: new Set(['metadata.name']), unknown: (label) => `no ${label}` };

describe('parseFieldSelector', () => {
  // A selector, and the names that it requires, or the reason of its refusal.
  const rows: [text: string, asks: string][] = [
    ['', 'everything'],
    [',', 'everything'],
    ['=', 'everything'],
    ['==,!=', 'everything'],
    ['metadata.name=a,=', 'a'],
    ['metadata.name==a', 'a'],
    ['metadata.name=a\\,b', 'a,b'],
    ['=a', 'no '],
    ['x=a', 'no x'],
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ];
  for (const [text, asks] of rows) {
    it(`${text}: ${asks}`, () => {
      let outcome: string | undefined;
      try {
        const selector = parseFieldSelector(text, LABELS);
        outcome = selector.everything ? 'everything' : selector.name;
      } catch (error) {
        outcome = (error as Error).message;
      }
      assert.equal(outcome, asks);
    });
  }
});
