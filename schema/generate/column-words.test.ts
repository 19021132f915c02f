import assert from 'node:assert/strict';
import type { ProtoFile } from '../descriptors/proto-data.ts';
import { withColumnWords } from './column-words.ts';

const files = [
  {
    package: 'core.v1',
    messages: [
      {
        name: 'Pod',
        fields: [],
        options: { resource: { plural: 'pods', columns: [{ name: 'Name' }, { name: 'Age' }] } },
      },
      { name: 'Part', fields: [] },
    ],
  },
] as unknown as ProtoFile[];

function described(yaml: string): unknown {
  return withColumnWords(files, Buffer.from(yaml))[0]!.messages[0]!.options!['resource'];
}

describe('withColumnWords', () => {
  it('describes a column with the text of its kind, or with the text for every kind', () => {
    assert.deepEqual(
      described('every:\n  Name: N.\n  Age: A.\ncore.Pod:\n  Age: B.\nother.Kind: {}\n'.replace('  Age: A.\n', '')),
      {
        plural: 'pods',
        columns: [
          { name: 'Name', description: 'N.' },
          { name: 'Age', description: 'B.' },
        ],
      },
    );
  });

  for (const [what, yaml, message] of [
    ['a column without a description', 'every:\n  Name: N.\n', /no words for the column Age of core.Pod$/],
    ['a description without a column', 'every:\n  Name: N.\n  Age: A.\n  Agee: A.\n', /no such column: every Agee$/],
    ['a description that is no sentence', 'every:\n  Name: N\n', /every: Name: not a sentence/],
    ['the same description twice', 'every:\n  Name: N.\n  Name: O.\n', /already set in map/],
  ] as const) {
    it(`refuses ${what}`, () => assert.throws(() => described(yaml), { message }));
  }
});
