import assert from 'node:assert/strict';
import { labelChanges, readLabels, writeLabels } from './label-text.ts';

const texts: readonly [text: string, labels: Record<string, string>, mistake: string | undefined][] = [
  ['app=web\ntier=front', { app: 'web', tier: 'front' }, undefined],
  ['  app = web  \n\n', { app: 'web' }, undefined],
  ['empty=', { empty: '' }, undefined],
  ['a=b=c', { a: 'b=c' }, undefined],
  ['app', {}, 'Write "app" as key=value.'],
  ['=x', {}, 'Write "=x" as key=value.'],
  ['a=1\na=2', {}, 'The label a stands here twice.'],
];

describe('readLabels and writeLabels', () => {
  for (const [text, labels, mistake] of texts)
    it(JSON.stringify(text), () => assert.deepEqual(readLabels(text), { labels, mistake }));

  it('read labels back as they were written', () =>
    assert.deepEqual(readLabels(writeLabels({ a: '1', b: '' })).labels, { a: '1', b: '' }));

  it('labelChanges returns only the differences', () =>
    assert.deepEqual(labelChanges({ a: '1', b: '2', c: '3' }, { a: '1', b: 'x', d: '4' }), {
      c: null,
      b: 'x',
      d: '4',
    }));
});
