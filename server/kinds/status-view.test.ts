import assert from 'node:assert/strict';
import { keepAllButStatus } from './status-view.ts';

describe('a status subresource', () => {
  it('does not change spec, labels, annotations, finalizers and owners', () => {
    const old = { metadata: { name: 'x', resourceVersion: '1', labels: { a: '1' } }, spec: { a: 1 } };
    const object = {
      metadata: {
        name: 'x',
        resourceVersion: '2',
        labels: { b: '2' },
        annotations: { c: '3' },
        finalizers: ['e.com/f'],
      },
      spec: { a: 2 },
      status: { b: 3 },
    };
    keepAllButStatus(object, old);
    const metadata = { name: 'x', resourceVersion: '2', labels: { a: '1' } };
    assert.deepEqual(object, { metadata, spec: { a: 1 }, status: { b: 3 } });
  });
});
