import assert from 'node:assert/strict';
import { checksIn, requestsIn } from './control-plane.ts';

describe('what a replica says of itself', () => {
  it('has checks that passed and that failed', () => {
    const text = '[+]ping ok\n[-]etcd failed: reason withheld\n[+]poststarthook/bootstrap ok\nreadyz check failed\n';
    assert.deepEqual(checksIn(text), [
      { name: 'ping', ok: true },
      { name: 'etcd', ok: false },
      { name: 'poststarthook/bootstrap', ok: true },
    ]);
  });

  it('has requests by verb and code, whatever else their series say, most first', () => {
    const metrics = [
      '# TYPE apiserver_request_total counter',
      'apiserver_request_total{code="200",resource="pods",subresource="",verb="GET"} 2',
      'apiserver_request_total{code="200",resource="nodes",verb="GET"} 3',
      'apiserver_request_total{code="404",resource="pods",verb="GET"} 9',
      'apiserver_request_duration_seconds_count{verb="GET"} 99',
    ].join('\n');
    assert.deepEqual(requestsIn(metrics), [
      { verb: 'GET', code: '404', count: 9 },
      { verb: 'GET', code: '200', count: 5 },
    ]);
  });
});
