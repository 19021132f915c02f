import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Invocation } from '../command-line/command.ts';
import type { Flag } from '../framework/flag.ts';
import { parseFlags } from '../framework/parse-flags.ts';
import { recorded, recordFlag } from './change-cause.ts';

const naming = createNaming('orch');
const declared: readonly Flag[] = [
  recordFlag,
  { name: 'replicas', type: 'int', help: '' },
  { name: 'filename', short: 'f', type: 'strings', help: '' },
  { name: 'token', type: 'string', help: '' },
  { name: 'password', type: 'string', help: '' },
];

/** The words after `orchctl scale`, and the expected text of the annotation. */
const table: readonly (readonly [words: string, kept: string | undefined])[] = [
  ['deploy web --replicas=2', undefined],
  ['deploy web --replicas=2 --record=false', undefined],
  ['deploy web --replicas=2 --record', 'orchctl scale deploy web --replicas=2 --record=true'],
  ['--record --replicas 2 deploy/web', 'orchctl scale deploy/web --record=true --replicas=2'],
  ['-f a,b -fc --record=true', 'orchctl scale --filename=a,b --filename=c --record=true'],
  ['web --token=abc --record', 'orchctl scale web --token=CLASSIFIED --record=true'],
  ['web --password abc --record', 'orchctl scale web --password=CLASSIFIED --record=true'],
];

describe('--record', () => {
  for (const [words, kept] of table)
    it(`stores ${kept === undefined ? 'nothing' : 'the command'} for ${words}`, async () => {
      const { flags, args } = parseFlags(declared, words.split(' '));
      const invocation = { path: 'orchctl scale', args, flags, session: { naming: async () => naming } };
      const object = { metadata: { name: 'web', annotations: { mine: 'stays' } } };
      const { metadata } = await recorded(invocation as unknown as Invocation, object);
      const cause = kept === undefined ? {} : { [naming.key('change-cause')]: kept };
      assert.deepEqual(metadata.annotations, { mine: 'stays', ...cause });
      assert.deepEqual(object.metadata.annotations, { mine: 'stays' });
    });
});
