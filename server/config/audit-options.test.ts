import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { readAudit } from './audit-options.ts';
import { parseFlags } from './parse-flags.ts';

const naming = createNaming('orch');

function audit(...argv: string[]) {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readAudit(invocation.flags);
}

describe('audit flags', () => {
  it('have different defaults for each backend', () => {
    const none = { policyFile: undefined, logFile: undefined, webhook: undefined };
    assert.deepEqual(audit(), none);
    assert.deepEqual(audit('--audit-policy-file=p', '--audit-log-path=-', '--audit-webhook-config-file=w'), {
      policyFile: 'p',
      logFile: {
        path: '-',
        mode: 'blocking',
        format: 'json',
        batch: { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0, throttle: undefined },
        truncation: undefined,
        rotation: { maxBytes: 100 << 20, maxBackups: 0, maxAgeMs: 0, compress: false },
      },
      webhook: {
        configFile: 'w',
        mode: 'batch',
        initialBackoffMs: 10_000,
        batch: { bufferSize: 10_000, maxSize: 400, maxWaitMs: 30_000, throttle: { qps: 10, burst: 15 } },
        truncation: undefined,
      },
    });
  });

  it('are converted to the units of the code', () => {
    const { logFile } = audit(
      '--audit-log-path=a',
      '--audit-log-maxage=2',
      '--audit-log-maxbackup=3',
      '--audit-log-maxsize=4',
      '--audit-log-compress',
      '--audit-log-truncate-enabled',
    );
    assert.deepEqual(logFile?.rotation, { maxBytes: 4 << 20, maxBackups: 3, maxAgeMs: 172_800_000, compress: true });
    assert.deepEqual(logFile?.truncation, { maxEventSize: 102_400, maxBatchSize: 10_485_760 });
  });

  it('are refused in invalid combinations', () => {
    const log = '--audit-log-path=a';
    const hook = '--audit-webhook-config-file=a';
    const cases: [argv: string[], message: RegExp][] = [
      [[log, '--audit-log-format=xml'], /--audit-log-format must be one of json, legacy/],
      [[log, '--audit-log-mode=none'], /--audit-log-mode must be one of batch, blocking, blocking-strict/],
      [[log, '--audit-log-maxage=-1'], /--audit-log-maxage must not be negative/],
      [
        [log, `--audit-log-version=${naming.apiVersion('audit', 'v1beta1')}`],
        /--audit-log-version must be audit\..*\/v1$/,
      ],
      [[log, '--audit-log-mode=batch', '--audit-log-batch-buffer-size=0'], /buffer-size must be positive/],
      [[hook, '--audit-webhook-batch-max-size=20000'], /max-size must not be more than --audit-webhook-batch-buffer/],
      [[hook, '--audit-webhook-batch-throttle-qps=0'], /throttle-qps must be positive/],
      [[hook, '--audit-webhook-batch-throttle-burst=0'], /throttle-burst must be positive/],
      [[hook, '--audit-webhook-initial-backoff=-1s'], /initial-backoff must not be negative/],
      [
        [hook, '--audit-webhook-truncate-enabled', '--audit-webhook-truncate-max-batch-size=1'],
        /max-batch-size must not be less than --audit-webhook-truncate-max-event-size/,
      ],
    ];
    for (const [argv, message] of cases) assert.throws(() => audit(...argv), { name: 'ConfigError', message });
    // An unused setting is not checked.
    assert.equal(audit('--audit-webhook-batch-max-size=20000').webhook, undefined);
    assert.ok(audit(hook, '--audit-webhook-mode=blocking', '--audit-webhook-batch-max-size=20000').webhook);
  });
});
