import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { limitRange } from './limit-range.ts';
import { resourceQuota } from './resource-quota.ts';

const limits = new KindTester(limitRange, 'core.v1', 'LimitRange');
const quotas = new KindTester(resourceQuota, 'core.v1', 'ResourceQuota');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('a LimitRange', () => {
  const item = (body: object) => limits.created({ spec: { limits: [body] } }).spec?.limits?.[0];
  const errors = (body: object) => fields(limits.errors({ spec: { limits: [body] } }));

  it('gets default limits and requests for containers: from max, then default, then min', () => {
    assert.deepEqual(item({ type: 'Container', max: { cpu: '2' }, min: { cpu: '1', memory: '1Gi' } }), {
      type: 'Container',
      max: { cpu: '2' },
      min: { cpu: '1', memory: '1Gi' },
      default: { cpu: '2' },
      defaultRequest: { cpu: '2', memory: '1Gi' },
    });
    assert.deepEqual(item({ type: 'Pod', max: { cpu: '2' } }), { type: 'Pod', max: { cpu: '2' } });
  });

  it('rounds quantities up to thousandths', () => {
    assert.deepEqual(item({ type: 'Pod', max: { cpu: '1n' } }), { type: 'Pod', max: { cpu: '1m' } });
  });

  it('gets a generated name if it has none', () => {
    const { name } = limits.created({ metadata: {}, spec: { limits: [] } }).metadata;
    assert.match(name ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(limits.created({ metadata: { name: 'given' }, spec: { limits: [] } }).metadata.name, 'given');
  });

  it('cannot contain contradictions', () => {
    const at = (field: string) => `spec.limits[0].${field}`;
    assert.deepEqual(errors({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } }), []);
    assert.deepEqual(errors({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }), [
      at('min[cpu]'),
      at('defaultRequest[cpu]'),
      at('default[cpu]'),
    ]);
    assert.deepEqual(errors({ type: 'Pod', default: { cpu: '1' } }), [at('default')]);
    assert.deepEqual(errors({ type: 'PersistentVolumeClaim' }), [at('limits')]);
    assert.deepEqual(errors({ type: 'odd' }), [at('type')]);
    const ratio = { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } };
    assert.deepEqual(errors(ratio), [at('maxLimitRequestRatio[cpu]')]);
  });
});

describe('a ResourceQuota', () => {
  const errors = (spec: object) => fields(quotas.errors({ spec }));

  it('limits known resources, in whole numbers for counts', () => {
    assert.deepEqual(errors({ hard: { cpu: '1.5', 'count/jobs.batch': '1', 'requests.example.com/gpu': '1' } }), []);
    assert.deepEqual(errors({ hard: { pods: '1.5' } }), ['spec.hard[pods]']);
    assert.deepEqual(errors({ hard: { foo: '-1' } }), ['spec.hard[foo]', 'spec.hard[foo]', 'spec.hard[foo]']);
  });

  it('needs scopes that match its resources and each other', () => {
    assert.deepEqual(errors({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotTerminating'] }), []);
    assert.deepEqual(errors({ hard: { 'requests.cpu': '1' }, scopes: ['BestEffort'] }), ['spec.scopes']);
    assert.deepEqual(errors({ hard: { services: '1' }, scopes: ['Terminating'] }), ['spec.scopes']);
    assert.deepEqual(errors({ hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] }), ['spec.scopes']);
    const term = { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] };
    const scopeSelector = { matchExpressions: [term, { scopeName: 'BestEffort', operator: 'In', values: ['x'] }] };
    const path = 'spec.scopeSelector.matchExpressions';
    assert.deepEqual(errors({ hard: { pods: '1' }, scopeSelector }), [`${path}.values`, `${path}.operator`]);
  });

  it('cannot change its scopes', () => {
    const spec = (scopes: string[]) => ({ spec: { hard: { pods: '1' }, scopes } });
    assert.deepEqual(quotas.updateErrors(spec(['BestEffort']), spec(['BestEffort'])), []);
    assert.deepEqual(fields(quotas.updateErrors(spec(['BestEffort']), spec([]))), ['spec.scopes']);
  });

  it('shows limits in a separate column', () => {
    const status = { hard: { pods: '2', 'limits.cpu': '4' }, used: { pods: '1' } };
    assert.deepEqual(quotas.cells({ status }), ['x', '<unknown>', 'pods: 1/2', 'limits.cpu: 0/4', '<unknown>']);
  });
});
