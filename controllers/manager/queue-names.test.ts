import assert from 'node:assert/strict';
import { controllers } from '../index.ts';
import { queueName } from './queue-names.ts';

describe('queueName', () => {
  it('returns the controller name, or the name that dashboards expect', () => {
    assert.equal(queueName('serviceaccount'), 'serviceaccount');
    assert.equal(queueName('endpointslice'), 'endpoint_slice');
  });

  it('returns a different name for each controller', () => {
    const names = controllers.map(({ name }) => queueName(name));
    assert.equal(new Set(names).size, names.length);
    const renamed = names.filter((name) => !controllers.some((controller) => controller.name === name));
    assert.equal(renamed.length, 16, String(renamed));
  });
});
