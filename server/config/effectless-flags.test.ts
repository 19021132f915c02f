import assert from 'node:assert/strict';
import { defaultRelease } from '#base/release/release.ts';
import { checkEffectlessFlags } from './effectless-flags.ts';
import { parseFlags } from './parse-flags.ts';

function warnings(...argv: string[]): string[] {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return checkEffectlessFlags(invocation.flags, defaultRelease);
}

describe('a flag without effect', () => {
  const silent = [
    '--storage-media-type=application/json',
    '--watch-cache-sizes=deployments.apps#100,pods#1000',
    '--show-hidden-metrics-for-version=1.24',
    '--logging-format=json',
    '--log-flush-frequency=1s',
    '--logtostderr=true',
  ];
  for (const flag of silent) {
    it(`is accepted without a warning: ${flag}`, () => assert.deepEqual(warnings(flag), []));
  }

  const noted: readonly [flag: string, warning: RegExp][] = [
    ['--watch-cache-sizes=events#0,pods#5,leases.coordination.example#0', /holds events, leases.coordination.example/],
    ['--contention-profiling', /--contention-profiling has no effect/],
    ['--vmodule=store=4', /--vmodule has no effect/],
  ];
  for (const [flag, warning] of noted) {
    it(`is accepted with a warning: ${flag}`, () => {
      const [found = '', ...more] = warnings(flag);
      assert.match(found, warning);
      assert.deepEqual(more, []);
    });
  }

  const refused: readonly [flag: string, message: RegExp][] = [
    ['--storage-media-type=text/plain', /"text\/plain" is none of application\/json/],
    ['--watch-cache-sizes=pods=5', /"pods=5" is not RESOURCE\[.GROUP\]#SIZE/],
    ['--show-hidden-metrics-for-version=1.23', /only the previous version is possible, 1.24/],
    ['--logging-format=xml', /neither json nor text/],
    ['--logtostderr=false', /does not act on it/],
    ['--watch-cache=false', /does not act on it/],
  ];
  for (const [flag, message] of refused) {
    it(`is refused if its value is invalid: ${flag}`, () =>
      assert.throws(() => warnings(flag), { name: 'ConfigError', message }));
  }
});
