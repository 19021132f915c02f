import assert from 'node:assert/strict';
import { defaultRelease } from '#base/release/release.ts';
import { flowSchemas, priorityLevels } from '../../bootstrap/flow-control-objects.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { flowSchema } from './flow-schema.ts';
import { createPriorityLevelRules } from './priority-level-configuration.ts';

const VERSION = 'flowcontrol.apiserver.v1beta1';
const schemas = new KindTester(flowSchema, VERSION, 'FlowSchema');
const levels = new KindTester(createPriorityLevelRules(defaultRelease), VERSION, 'PriorityLevelConfiguration');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('FlowSchemas and PriorityLevelConfigurations', () => {
  it('of the bootstrap configuration are valid and contain all defaults', () => {
    for (const [name, spec] of Object.entries(flowSchemas(schemas.naming))) {
      assert.deepEqual(schemas.errors({ metadata: { name }, spec }), [], name);
      assert.deepEqual(schemas.created({ metadata: { name }, spec }).spec, spec);
    }
    for (const [name, spec] of Object.entries(priorityLevels(defaultRelease))) {
      assert.deepEqual(levels.errors({ metadata: { name }, spec }), [], name);
    }
  });

  it('that are mandatory cannot be changed', () => {
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    assert.deepEqual(fields(levels.errors({ metadata: { name: 'exempt' }, spec })), ['spec.type', 'spec']);
    assert.deepEqual(fields(levels.errors({ metadata: { name: 'catch-all' }, spec })), ['spec']);
  });

  it('can match only verbs of requests, not connect', () => {
    const rule = (verb: string) => ({
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        rules: [
          {
            subjects: [{ kind: 'Group', group: { name: 'g' } }],
            nonResourceRules: [{ verbs: [verb], nonResourceURLs: ['*'] }],
          },
        ],
      },
    });
    assert.deepEqual(schemas.errors(rule('proxy')), []);
    assert.deepEqual(fields(schemas.errors(rule('connect'))), ['spec.rules[0].nonResourceRules[0].verbs']);
  });

  it('need a hand size that is possible with their number of queues', () => {
    const queuing = (numbers: object) => ({
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: numbers } } },
    });
    const hand = 'spec.limited.limitResponse.queuing.handSize';
    assert.deepEqual(levels.errors(queuing({})), []);
    assert.deepEqual(fields(levels.errors(queuing({ queues: 5, handSize: 6 }))), [hand]);
    assert.deepEqual(fields(levels.errors(queuing({ queues: 1024, handSize: 8 }))), [hand]);
  });

  it('need valid subjects and rules', () => {
    const rule = (subject: object, more: object) => ({
      spec: { priorityLevelConfiguration: { name: 'l' }, rules: [{ subjects: [subject], ...more }] },
    });
    const user = { kind: 'User', user: { name: 'u' } };
    const paths = (...nonResourceURLs: string[]) => ({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs }] });
    const at = 'spec.rules[0].nonResourceRules[0].nonResourceURLs';
    assert.deepEqual(schemas.errors(rule(user, paths('/', '/a/*'))), []);
    assert.deepEqual(fields(schemas.errors(rule(user, paths('a', '/a*', '//')))), [`${at}[0]`, `${at}[1]`, `${at}[2]`]);
    assert.deepEqual(fields(schemas.errors(rule({ kind: 'Group', user: { name: 'u' } }, paths('*')))), [
      'spec.rules[0].subjects[0].group',
      'spec.rules[0].subjects[0].user',
    ]);
  });
});
