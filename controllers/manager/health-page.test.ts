import assert from 'node:assert/strict';
import { healthPage } from './health-page.ts';

describe('/healthz of the controller manager', () => {
  const rows: [query: string, text: string][] = [
    ['', 'ok'],
    ['exclude=a', 'ok'],
    ['verbose', '[+]leaderElection ok\n[+]a ok\nhealthz check passed\n'],
    ['verbose&exclude=a', '[+]leaderElection ok\n[+]a excluded: ok\nhealthz check passed\n'],
    [
      'verbose&exclude=z&exclude=b',
      '[+]leaderElection ok\n[+]a ok\nwarn: some health checks cannot be excluded: no matches for "b","z"\nhealthz check passed\n',
    ],
  ];
  for (const [query, text] of rows)
    it(query === '' ? 'without a query' : query, () => {
      assert.equal(healthPage(['leaderElection', 'a'], new URLSearchParams(query)), text);
    });
});
