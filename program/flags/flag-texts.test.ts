import assert from 'node:assert/strict';
import { flagText } from './flag-texts.ts';
import { readFlagValue } from './flag-values.ts';

describe('flagText', () => {
  // the type of the flag, the given values, and the shown text
  const cases: [Parameters<typeof flagText>[0], string[], string][] = [
    ['bool', [], 'false'],
    ['duration', [], '0s'],
    ['duration', ['250ms'], '250ms'],
    ['duration', ['60s'], '1m0s'],
    ['duration', ['1.5s'], '1.5s'],
    ['duration', ['24h'], '24h0m0s'],
    ['int', ['7'], '7'],
    ['portRange', ['30000-32767'], '30000-32767'],
    ['strings', ['b', 'a'], '[b,a]'],
    ['strings', ['"x,y",z'], '["x,y",z]'],
    ['strings', [], '[]'],
    ['mapStringBool', ['B=true,A=false'], 'A=false,B=true'],
    ['stringToString', ['a=1'], '[a=1]'],
    ['string', ['text'], 'text'],
  ];
  for (const [type, texts, shown] of cases)
    it(`shows ${type} ${JSON.stringify(texts)} as ${shown}`, () => {
      assert.equal(flagText(type, readFlagValue(type, texts)), shown);
    });
});
