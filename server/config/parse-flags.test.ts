import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { parseDuration } from '#program/flags/duration.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { flagHelp } from '#program/flags/flag-help.ts';
import { flagSections, flagTable } from './flags/flag-table.ts';
import { type Flags, parseFlags } from './parse-flags.ts';

function flags(...argv: string[]): Flags {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return invocation.flags;
}

describe('parseFlags', () => {
  it('reads all forms of a flag with its value', () => {
    assert.equal(flags('--secure-port=7443').get('secure-port'), 7443);
    assert.equal(flags('--secure-port', '7443').get('secure-port'), 7443);
    assert.equal(flags('--secure_port', '7443').get('secure-port'), 7443);
    assert.equal(flags('--allow-privileged').get('allow-privileged'), true);
    assert.equal(flags('--allow-privileged', '--secure-port=1').get('secure-port'), 1);
    assert.equal(flags('--allow-privileged=false').get('allow-privileged'), false);
    assert.equal(flags('--etcd-prefix=a=b').get('etcd-prefix'), 'a=b');
    assert.equal(flags('--etcd-prefix=').get('etcd-prefix'), '');
  });

  it('combines repeated lists and maps, and uses the last value of other flags', () => {
    assert.deepEqual(flags('--etcd-servers=a,b', '--etcd-servers=c').get('etcd-servers'), ['a', 'b', 'c']);
    assert.deepEqual(flags('--requestheader-allowed-names="a,b",c').get('requestheader-allowed-names'), ['a,b', 'c']);
    assert.deepEqual(
      flags('--service-account-key-file=a,b', '--service-account-key-file=c').get('service-account-key-file'),
      ['a,b', 'c'],
    );
    assert.deepEqual(
      flags('--feature-gates=A=true,B=false', '--feature-gates=A=false').get('feature-gates'),
      new Map([
        ['A', false],
        ['B', false],
      ]),
    );
    assert.deepEqual(
      flags('--runtime-config=api/all,v1=false').get('runtime-config'),
      new Map([
        ['api/all', ''],
        ['v1', 'false'],
      ]),
    );
    assert.equal(flags('--secure-port=1', '--secure-port=2').get('secure-port'), 2);
  });

  it('returns the defaults of the naming', () => {
    const orch = flags();
    assert.equal(orch.get('secure-port'), 6443);
    assert.equal(orch.get('request-timeout'), 60_000);
    assert.equal(orch.get('storage-media-type'), orch.naming.protobufMediaType);
    assert.deepEqual(orch.get('service-node-port-range'), [30000, 32767]);
    assert.deepEqual(orch.get('oidc-signing-algs'), ['RS256']);
    assert.deepEqual(orch.get('audit-policy-file'), '');
    assert.equal(orch.isSet('secure-port'), false);
    const upstream = flags('--naming=kubernetes');
    assert.equal(upstream.naming.profile, 'kubernetes');
    assert.equal(upstream.get('cert-dir'), `/var/run/${upstream.naming.product}`);
    assert.equal(flags(`--${orch.naming.product}-service-node-port=0`).isSet('{product}-service-node-port'), true);
  });

  it('reports what is wrong with a flag', () => {
    const cases: [string[], RegExp][] = [
      [['--secure-prot=1'], /unknown flag --secure-prot \(did you mean --secure-port\?\)/],
      [['serve'], /"serve" is not a flag/],
      [['--secure-port'], /needs a value/],
      [['--secure-port=x'], /invalid value for flag --secure-port: "x" is not a whole number/],
      [['--allow-privileged=maybe'], /"maybe" is neither true nor false/],
      [['--request-timeout=10'], /"10" is not a duration like 1m30s/],
      [['--bind-address=host'], /"host" is not an IP address/],
      [['--service-node-port-range=9-1'], /not a range of ports/],
      [['--feature-gates=A'], /"A" has no value; write NAME=VALUE/],
      [['--naming=other'], /choose one of orch, kubernetes/],
    ];
    for (const [argv, message] of cases) assert.throws(() => parseFlags(argv), { name: 'ConfigError', message });
  });

  it('refuses flags that the server does not support yet, unless they have their default value', () => {
    const table: FlagDefinition[] = [
      { name: 'naming', type: 'string', default: 'orch', built: true },
      { name: 'encryption', type: 'string' },
      { name: 'profiling', type: 'bool', default: 'true', deprecated: true },
    ];
    assert.throws(
      () => parseFlags(['--encryption=file'], table),
      /--encryption is known, but this version does not act on it yet: remove it/,
    );
    assert.throws(() => parseFlags(['--profiling=false'], table), /or leave it at "true"/);
    const invocation = parseFlags(['--encryption=', '--profiling=TRUE'], table);
    assert.ok('flags' in invocation);
    assert.deepEqual(invocation.flags.changed, []);
    assert.deepEqual(invocation.flags.warnings, ['Flag --profiling is deprecated and will be removed.']);
    assert.deepEqual(flags('--secure-port=1', '--naming=orch').changed, [['secure-port', '1']]);
  });

  it('shows help and version instead of starting', () => {
    for (const [argument, show] of [
      ['--help', 'help'],
      ['-h', 'help'],
      ['--version', 'version'],
    ] as const) {
      const invocation = parseFlags([argument, '--secure-port=1']);
      assert.equal('show' in invocation && invocation.show, show);
    }
    const help = flagHelp('server', 'Serves.', flagSections, createNaming('orch'));
    for (const flag of flagTable) assert.ok(help.includes(`--${flag.name.replace('{product}', 'orch')}`), flag.name);
  });

  it('has consistent defaults in the table', () => {
    const names = flagTable.map((flag) => flag.name);
    assert.equal(new Set(names).size, names.length);
    for (const flag of flagTable) if (flag.built) assert.ok(flag.about, `${flag.name} says what it is about`);
  });
});

describe('parseDuration', () => {
  it('reads durations as milliseconds', () => {
    const cases: [string, number][] = [
      ['1m0s', 60_000],
      ['0', 0],
      ['0s', 0],
      ['1.5h', 5_400_000],
      ['500ms', 500],
      ['1h0m0s', 3_600_000],
      ['-1s', -1000],
      ['.5s', 500],
    ];
    for (const [text, milliseconds] of cases) assert.equal(parseDuration(text), milliseconds, text);
    for (const text of ['', '5', 's', '1 s', '1d', '1s x'])
      assert.throws(() => parseDuration(text), /is not a duration/);
  });
});
