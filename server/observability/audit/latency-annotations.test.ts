import assert from 'node:assert/strict';
import { RequestStages } from '#program/tracing/request-stages.ts';
import { requestInfo } from '../../api/request-info.ts';
import { latencyAnnotations } from './latency-annotations.ts';

describe('latencyAnnotations', () => {
  const PODS = '/api/v1/namespaces/a/pods';
  type Spend = (stages: RequestStages) => void;

  const cases: readonly [what: string, line: string, took: number, spend: Spend, said: Record<string, string>][] = [
    ['returns nothing for a fast request', `POST ${PODS}`, 500, (stages) => stages.add('etcd', 400), {}],
    [
      'returns the total time and the time in etcd',
      `POST ${PODS}`,
      600,
      (stages) => stages.add('etcd', 400),
      { etcd: '400ms', total: '600ms' },
    ],
    [
      'returns the time in mutating and validating webhooks',
      `POST ${PODS}`,
      2500,
      (stages) => {
        stages.askedWebhook('admit', 300);
        stages.askedWebhook('admit', 1200.5);
        stages.askedWebhook('validate', 0.25);
        stages.askedWebhook('validate', 0.75);
      },
      { 'mutating-webhook': '1.5005s', total: '2.5s', 'validating-webhook': '750µs' },
    ],
    [
      'returns the time to encode and write the response',
      `GET ${PODS}`,
      1000,
      (stages) => {
        stages.add('writing', 700);
        stages.add('encoding', 500);
      },
      { 'response-write': '200ms', 'serialize-response-object': '500ms', total: '1s' },
    ],
    ['returns nothing if no stage is known', 'GET /version', 1000, () => {}, {}],
    ['returns nothing for a watch', `GET ${PODS}?watch=1`, 9000, (stages) => stages.add('writing', 10), {}],
  ];
  for (const [what, line, took, spend, said] of cases)
    it(what, () => {
      const [method = '', target = ''] = line.split(' ');
      const [path = '', query = ''] = target.split('?');
      const stages = new RequestStages();
      spend(stages);
      const context = { info: requestInfo(method, path, new URLSearchParams(query)), stages };
      const annotations = latencyAnnotations(context, (name) => name, stages.started + took);
      assert.deepEqual(Object.fromEntries(annotations), said);
    });
});
