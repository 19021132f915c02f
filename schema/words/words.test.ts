import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '../descriptors/load.ts';
import { noWords, wordsSource } from './load.ts';
import { Words } from './words.ts';

const schema = loadSchema();

function textOf(words: Words, message: string, name: string): string | undefined {
  const type = schema.message(message);
  return words.ofField(type, type.byJsonName.get(name)!);
}

describe('Words', () => {
  const naming = createNaming('orch');
  const words = new Words(
    {
      'autoscaling.MetricTarget': { about: 'A goal.', fields: { type: 'How the goal is given.' } },
      'core.ContainerPort': { fields: { protocol: 'Carries the data.' } },
      'core.ProbeHandler': { fields: { exec: 'A command in the container.' } },
      'core.Pod': { about: 'Runs on a node with the label orch.io/hostname.' },
    },
    naming,
  );

  it('are the same for all versions of a message', () => {
    for (const version of ['v2', 'v2beta2']) {
      assert.equal(words.ofMessage(schema.message(`autoscaling.${version}.MetricTarget`)), 'A goal.');
      assert.match(textOf(words, `autoscaling.${version}.MetricTarget`, 'type')!, /^How the goal is given\./);
    }
  });

  for (const [what, message, field, text] of [
    [
      'the description, then the facts',
      'core.v1.ContainerPort',
      'protocol',
      'Carries the data. Defaults to TCP. One of: SCTP, TCP, UDP.',
    ],
    [
      'only facts if there is no description',
      'core.v1.Container',
      'imagePullPolicy',
      'One of: Always, IfNotPresent, Never.',
    ],
    ['the description of a field of an inline message', 'core.v1.Probe', 'exec', 'A command in the container.'],
    ['nothing', 'core.v1.Container', 'workingDir', undefined],
  ] as const) {
    it(`give ${what}`, () => assert.equal(textOf(words, message, field), text));
  }

  it('find the description of a schema extension in each naming', () => {
    for (const profile of ['orch', 'kubernetes'] as const) {
      const naming = createNaming(profile);
      const read = new Words(
        { 'apiextensions.JSONSchemaProps': { fields: { 'x-orch-embedded-resource': 'Whole.' } } },
        naming,
      );
      const message = loadSchema(naming).message('apiextensions.v1.JSONSchemaProps');
      const field = message.byJsonName.get(`${naming.extensionPrefix}embedded-resource`)!;
      assert.equal(read.ofField(message, field), 'Whole.');
    }
  });

  it('use the names of the naming profile', () => {
    const upstream = new Words(
      { 'core.Pod': { about: 'Has the label orch.io/hostname.' } },
      createNaming('kubernetes'),
    );
    assert.equal(upstream.ofMessage(schema.message('core.v1.Pod')), 'Has the label kubernetes.io/hostname.');
  });
});

describe('wordsSource', () => {
  it('reads the descriptions in proto/words/', async () => {
    const { hash, load } = wordsSource(createNaming('orch'));
    assert.match(hash, /^[0-9a-f]{16}$/);
    assert.match((await load())!.ofMessage(schema.message('meta.v1.ObjectMeta'))!, /^Standard object's metadata/);
  });

  it('reads them once for all definitions of a document', async () => {
    const { load } = wordsSource(createNaming('orch'));
    const words = await load();
    assert.equal(await load(), words);
  });

  it('noWords gives no descriptions', async () => {
    assert.equal(noWords.hash, '');
    assert.equal(await noWords.load(), undefined);
  });
});
