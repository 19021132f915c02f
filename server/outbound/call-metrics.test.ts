import assert from 'node:assert/strict';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { whole } from '#program/metrics/testing/whole.ts';
import { writeText } from '#program/metrics/write-text.ts';
import { countedCalls } from './call-metrics.ts';

describe('countedCalls', () => {
  const cases: readonly [what: string, answer: () => Promise<{ status: number; body: Buffer }>, lines: string[]][] = [
    [
      'counts calls with an answer',
      async () => ({ status: 200, body: Buffer.alloc(300) }),
      [
        'rest_client_request_duration_seconds_count{host="a.b.svc:443",verb="POST"} 1',
        'rest_client_request_size_bytes_sum{host="a.b.svc:443",verb="POST"} 6',
        'rest_client_requests_total{code="200",host="a.b.svc:443",method="POST"} 1',
        'rest_client_response_size_bytes_sum{host="a.b.svc:443",verb="POST"} 300',
      ],
    ],
    [
      'counts calls with an error status',
      async () => ({ status: 503, body: Buffer.alloc(0) }),
      [
        'rest_client_request_duration_seconds_count{host="a.b.svc:443",verb="POST"} 1',
        'rest_client_request_size_bytes_sum{host="a.b.svc:443",verb="POST"} 6',
        'rest_client_requests_total{code="503",host="a.b.svc:443",method="POST"} 1',
        'rest_client_response_size_bytes_sum{host="a.b.svc:443",verb="POST"} 0',
      ],
    ],
    [
      'counts calls that fail',
      () => Promise.reject(new Error('away')),
      [
        'rest_client_request_duration_seconds_count{host="a.b.svc:443",verb="POST"} 1',
        'rest_client_request_size_bytes_sum{host="a.b.svc:443",verb="POST"} 6',
        'rest_client_requests_total{code="<error>",host="a.b.svc:443",method="POST"} 1',
      ],
    ],
  ];
  for (const [what, answer, lines] of cases)
    it(what, async () => {
      const metrics = new MetricSet();
      const call = countedCalls(metrics)({ method: 'POST', host: 'a.b.svc:443', body: 'größ' }, answer);
      await call.catch((error: Error) => assert.equal(error.message, 'away'));
      const text = String(await whole(writeText(metrics.values())));
      const shown = /^rest_client_(?:requests_total|request_duration_seconds_count|\w+_size_bytes_sum)/;
      assert.deepEqual(
        text.split('\n').filter((line) => shown.test(line)),
        lines,
      );
    });
});
