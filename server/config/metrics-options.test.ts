import assert from 'node:assert/strict';
import { type MetricsOptions, readMetrics } from './metrics-options.ts';
import { parseFlags } from './parse-flags.ts';

function read(...argv: string[]): MetricsOptions {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readMetrics(invocation.flags);
}

describe('flags of metrics', () => {
  it('limit nothing by default', () => {
    const limits = { disabled: [], allowedValues: new Map(), showsHidden: false };
    assert.deepEqual(read(), { limits, databaseSizeIntervalMs: 30_000 });
  });

  it('name metrics to disable', () => {
    assert.deepEqual(read('--disabled-metrics=a,b', '--disabled-metrics=c').limits.disabled, ['a', 'b', 'c']);
    assert.deepEqual(read('--etcd-count-metric-poll-period=0').limits.disabled, ['apiserver_storage_objects']);
    assert.equal(read('--etcd-db-metric-poll-interval=0').databaseSizeIntervalMs, 0);
  });

  it('set the allowed values of labels', () => {
    const expected = new Map([
      [
        'requests',
        new Map([
          ['verb', new Set(['GET', 'LIST'])],
          ['code', new Set(['200'])],
        ]),
      ],
    ]);
    const ways: string[][] = [
      ['--allow-metric-labels=requests,verb=GET,LIST', '--allow-metric-labels=requests,code=200'],
      ['--allow-metric-labels="requests,verb=GET,LIST","requests,code=200"'],
    ];
    for (const argv of ways) assert.deepEqual(read(...argv).limits.allowedValues, expected);
  });

  const refused: readonly [flag: string, message: RegExp][] = [
    ['--allow-metric-labels=requests=GET', /"requests" is not METRIC,LABEL/],
    ['--allow-metric-labels=requests', /has no value/],
    ['--etcd-db-metric-poll-interval=-1s', /must not be negative/],
    ['--etcd-count-metric-poll-period=-1s', /must not be negative/],
  ];
  for (const [flag, message] of refused) {
    it(`are refused if a value is invalid: ${flag}`, () =>
      assert.throws(() => read(flag), { name: 'ConfigError', message }));
  }
});
