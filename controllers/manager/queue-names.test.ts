import assert from 'node:assert/strict';
import { controllers } from '../index.ts';
import { queueName } from './queue-names.ts';

describe('names of queues', () => {
  it('are those of controllers, or as dashboards know them', () => {
    assert.equal(queueName('serviceaccount'), 'serviceaccount');
    assert.equal(queueName('endpointslice'), 'endpoint_slice');
  });

  it('stand for one controller each', () => {
    const names = controllers.map(({ name }) => queueName(name));
    assert.equal(new Set(names).size, names.length);
    const renamed = names.filter((name) => !controllers.some((controller) => controller.name === name));
    assert.equal(renamed.length, 16, String(renamed));
  });
});
