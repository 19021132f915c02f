import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseFlags } from './parse-flags.ts';
import { readTracing } from './tracing-options.ts';

const HEAD = 'kind: TracingConfiguration\napiVersion: apiserver.config.orch.io/v1alpha1\n';
const file = path.join(mkdtempSync(path.join(tmpdir(), 'tracing-')), 'tracing.yaml');

function read(text: string) {
  writeFileSync(file, text);
  const invocation = parseFlags([`--tracing-config-file=${file}`]);
  assert.ok('flags' in invocation);
  return readTracing(invocation.flags);
}

describe('the tracing configuration file', () => {
  it('has a local collector and no sampling by default', () => {
    assert.deepEqual(read(HEAD), { endpoint: 'localhost:4317', samplingRatePerMillion: 0 });
    assert.deepEqual(read(`${HEAD}endpoint: https://collector.example:443\nsamplingRatePerMillion: 100\n`), {
      endpoint: 'https://collector.example:443',
      samplingRatePerMillion: 100,
    });
  });

  const mistakes: readonly [text: string, says: RegExp][] = [
    ['{', /tracing\.yaml:1:\d+: it is neither YAML nor JSON/],
    [HEAD.replace('v1alpha1', 'v7'), /:2:13: apiVersion must be "apiserver.config.orch.io\/v1alpha1"/],
    [HEAD.replace('TracingC', 'C'), /:1:7: kind must be "TracingConfiguration"/],
    [`${HEAD}samplingRatePerMillion: 1000001\n`, /:3:25: samplingRatePerMillion must be at most 1000000/],
    [`${HEAD}samplingRatePerMillion: -1\n`, /must be at least 0/],
    [`${HEAD}samplingRatePerMillion: often\n`, /must be a whole number/],
    [`${HEAD}endpoint: "a b"\n`, /endpoint must be the host and port of a collector/],
    [`${HEAD}rate: 1\n`, /:3:1: rate is not one of/],
  ];
  for (const [text, says] of mistakes) it(String(says), () => assert.throws(() => read(text), says));

  it('is refused if it cannot be read', () => {
    const invocation = parseFlags(['--tracing-config-file=/nowhere/at/all']);
    assert.ok('flags' in invocation);
    assert.throws(
      () => readTracing(invocation.flags),
      /flag --tracing-config-file: cannot read \/nowhere\/at\/all: ENOENT/,
    );
  });
});
