import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { buildSchema } from '../descriptors/build-schema.ts';
import { loadSchema } from '../descriptors/load.ts';
import { readProto } from './read-proto.ts';
import { messagesByKey, readWords } from './read-words.ts';
import { repeatsName, wordless } from './wordless.ts';

const schema = loadSchema(undefined, 'every');
const WORDS = path.join(import.meta.dirname, '../../proto/words');

function read(text: string, name = 'core.yaml') {
  const folder = mkdtempSync(path.join(tmpdir(), 'words-'));
  writeFileSync(path.join(folder, name), text);
  return readWords(folder, schema);
}

describe('readWords', () => {
  it('reads a text of several lines as one line', () => {
    assert.deepEqual(read('Pod:\n  about: >-\n    Runs\n    containers.\n  fields:\n    spec: What to run.\n'), {
      'core.Pod': { about: 'Runs containers.', fields: { spec: 'What to run.' } },
    });
  });

  const mistakes: [what: string, text: string, message: RegExp][] = [
    ['an unknown message', 'Pud:\n  about: A.', /^words\/core.yaml: Pud: proto\/ has no such message$/],
    ['an unknown field', 'Pod:\n  fields:\n    spek: A.', /^words\/core.yaml: Pod: proto\/ has no field spek$/],
    ['an unknown member', 'Pod:\n  abuot: A.', /abuot is neither about nor fields$/],
    ['the same key twice', 'Pod:\n  about: A.\n  about: B.', /already set in map/],
    ['a number', 'Pod:\n  about: 1', /Pod: not a text$/],
    ['a document that is not a map', 'Pod: A.', /Pod: not a map$/],
    [
      'a field with the same text as its message',
      'Pod:\n  fields:\n    spec: A.\nPodSpec:\n  about: A.',
      /^words: core.Pod.spec repeats the words of its message api.core.v1.PodSpec$|core.Pod.spec repeats/,
    ],
    ['a text that is no sentence', 'Pod:\n  about: A pod', /Pod: not a sentence, which ends with a full stop$/],
  ];
  for (const [what, text, message] of mistakes) {
    it(`refuses ${what}`, () => assert.throws(() => read(text), { message }));
  }
});

describe('saysNothing', () => {
  for (const [name, text, nothing] of [
    ['restartPolicy', 'The restart policy of the pod.', true],
    ['name', 'Name.', true],
    ['serviceName', 'The name of the service.', true],
    ['restartPolicy', 'When the containers of the pod start again after they end.', false],
    ['name', 'Name of the volume, which a container mounts by it.', false],
  ] as const) {
    it(`${nothing ? 'finds' : 'does not find'} that the text only repeats the name ${name}: ${text}`, () => {
      assert.equal(repeatsName(name, text), nothing);
    });
  }
});

describe('the field descriptions in proto/words/', () => {
  // The words cover the fields of all releases.
  const words = readWords(WORDS, buildSchema(readProto(path.dirname(WORDS)), createNaming('orch')));

  it('say more than the field names', () => {
    const padding = Object.entries(words).flatMap(([message, { fields }]) =>
      Object.entries(fields ?? {})
        .filter(([name, text]) => repeatsName(name, text))
        .map(([name]) => `${message}.${name}`),
    );
    assert.deepEqual(padding, []);
  });

  it('are missing for as many messages and fields as lint/wordless.json says', async () => {
    const { default: counted } = await import('../../lint/wordless.json', { with: { type: 'json' } });
    assert.deepEqual(wordless(messagesByKey(schema), words), counted);
  });
});
