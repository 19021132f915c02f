import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };

describe('warnings about an object', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  it('are sent for a write of the object, but not for a write of its status', async () => {
    const spec = { schedule: 'TZ=UTC 0 0 * * *', jobTemplate: { spec: { template } } };
    const made = await replica.call('POST', CRON_JOBS, { body: { metadata: { name: 'c' }, spec } });
    assert.match(String(made.headers['warning']), /TZ used in/);
    const changed = await replica.call('PUT', `${CRON_JOBS}/c`, { body: made.json });
    assert.match(String(changed.headers['warning']), /TZ used in/);
    const status = { lastScheduleTime: '2020-01-01T00:00:00Z' };
    const seen = await replica.call('PUT', `${CRON_JOBS}/c/status`, { body: { ...made.json, status } });
    assert.equal(seen.status, 200, seen.text);
    assert.equal(seen.headers['warning'], undefined);
  });

  it('about a template are sent for every change of the specification, even outside the template', async () => {
    const labels = { app: 'd' };
    const env = [{ name: 'A' }, { name: 'A' }];
    const spec = { containers: [{ name: 'c', image: 'i', env }] };
    const body = {
      metadata: { name: 'd' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
    assert.match(String((await replica.call('POST', DEPLOYMENTS, { body })).headers['warning']), /duplicate name/);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const cases: [patch: object, warns: boolean][] = [
      [{ spec: { replicas: 2 } }, true],
      [{ metadata: { labels } }, false],
      [{}, false],
    ];
    for (const [patch, warns] of cases) {
      const answer = await replica.call('PATCH', `${DEPLOYMENTS}/d`, { headers, body: patch });
      assert.equal(answer.headers['warning'] !== undefined, warns, JSON.stringify(patch));
    }
  });
});
