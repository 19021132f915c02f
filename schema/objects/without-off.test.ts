import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { loadSchema } from '../descriptors/load.ts';
import { decodeObject } from './decode.ts';
import { withoutOff } from './without-off.ts';

const pod = {
  metadata: { name: 'a' },
  spec: {
    containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGTERM' } }],
    schedulingGroup: { podGroupName: 'g', odd: 1 },
    odder: 2,
  },
};

describe('fields of disabled features', () => {
  const decoded = (release: ReleaseName) => {
    const unknown: string[] = [];
    const type = loadSchema(createNaming('orch'), releaseOf(release)).message('core.v1.Pod');
    const object = decodeObject(type, pod, { unknown: (path) => unknown.push(path) });
    return { unknown, object, type };
  };

  it('are unknown in releases before the field existed', () => {
    assert.deepEqual(decoded('1.25').unknown, [
      'spec.containers[0].lifecycle.stopSignal',
      'spec.schedulingGroup',
      'spec.odder',
    ]);
  });

  it('are dropped without a warning in releases that have the field', () => {
    const { unknown, object } = decoded('1.37');
    assert.deepEqual(unknown, ['spec.schedulingGroup.odd', 'spec.odder']);
    assert.deepEqual(object['spec'], { containers: [{ name: 'c', image: 'i', lifecycle: {}, resources: {} }] });
  });

  it('are removed from a copy of the applied configuration', () => {
    const { type } = decoded('1.37');
    const before = structuredClone(pod);
    assert.deepEqual(withoutOff(type, pod), {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i', lifecycle: {} }], odder: 2 },
    });
    assert.deepEqual(pod, before);
    const plain = { metadata: { name: 'a', labels: { x: 'y' } }, spec: { containers: [{ name: 'c' }] } };
    assert.equal(withoutOff(type, plain), plain);
  });
});
