import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { createNaming } from '#base/naming/create-naming.ts';
import { managerFlags } from '#controllers/testing/start-controller.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { familyTable } from '#program/metrics/family-table.ts';
import { flagTable as schedulerTable } from '#scheduler/flag-table.ts';
import { LOAD_BALANCER, MANAGERS, MEMBERS, REPLICAS, SCHEDULERS } from '#scripts/compose-services.ts';
import { type Deployment, followSettings, makeDeploymentPki, writeComposeSettings } from '#scripts/deployment-pki.ts';
import { splitWords } from '#scripts/split-words.ts';
import { readServerOptions } from '#server/config/options.ts';
import { parseFlags } from '#server/config/parse-flags.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { ReplicaProcess } from '#server/testing/replica-process.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { metricsOf } from './promql-metrics.ts';

const deploy = path.resolve(import.meta.dirname, '../deploy');

function read(name: string): string {
  return readFileSync(path.join(deploy, name), 'utf8');
}

/** Replaces variables as compose does (`${NAME:-default}`, `${NAME:?message}`, `${NAME}`). */
function filled(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, fallback?: string) => {
    const value = variables[name] ?? fallback;
    assert.ok(value !== undefined, `${name} has a value`);
    return value;
  });
}

/** Parses `NAME=value` lines. */
function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

/** The words of ExecStart, after continued lines are joined. */
function execStart(unit: string): string[] {
  const [, line = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit) ?? [];
  return line.replaceAll('\\\n', ' ').trim().split(/\s+/);
}

/** The services whose names begin with this prefix. */
function named(services: Compose['services'], word: string): string[] {
  return Object.keys(services).filter((name) => name.startsWith(word));
}

function acceptFlags(flags: readonly string[]): void {
  const invocation = parseFlags(flags);
  assert.ok('flags' in invocation);
  readServerOptions(invocation.flags);
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: string | readonly string[];
        readonly volumes?: string[];
        readonly environment?: object;
        readonly mem_limit?: string;
        readonly logging?: { readonly options: Readonly<Record<string, string>> };
      }
    >
  >;
}

describe('files in deploy/', () => {
  it('compose.yaml starts replicas with valid flags', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    assert.deepEqual(named(services, 'apiserver'), REPLICAS);
    const settings = { SERVICE_ACCOUNT_ISSUER: 'https://orch.default.svc' };
    for (const name of REPLICAS) acceptFlags(splitWords(filled(String(services[name]!.command ?? ''), settings)));
  });

  it('compose.yaml has the services that the tools use', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    assert.deepEqual(named(services, 'etcd'), MEMBERS);
    assert.ok(services[LOAD_BALANCER]);
  });

  it('the systemd unit starts a replica with valid flags', () => {
    const [node, memory, main, ...all] = execStart(read('systemd/orch-apiserver.service'));
    assert.equal(all.pop(), '$FLAGS', 'further flags come last');
    const flags = [...all, ...(/^# FLAGS=(.*)$/m.exec(read('systemd/apiserver.env'))?.[1] ?? '').split(' ')];
    assert.deepEqual([node, memory], ['/usr/bin/node', '--max-semi-space-size=8']);
    assert.match(main ?? '', /\/dist\/server\/main\.js$/);
    acceptFlags(flags.map((flag) => filled(flag, variablesOf(read('systemd/apiserver.env')))));
  });

  it('compose.yaml and the systemd unit start controller managers with valid flags', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    assert.deepEqual(named(services, 'controller-manager'), MANAGERS);
    for (const name of MANAGERS) managerFlags(...splitWords(filled(String(services[name]!.command ?? ''), {})));
    const [node, memory, main, ...flags] = execStart(read('systemd/orch-controller-manager.service'));
    assert.equal(flags.pop(), '$FLAGS', 'further flags come last');
    assert.deepEqual([node, memory], ['/usr/bin/node', '--max-semi-space-size=2']);
    assert.match(main ?? '', /\/dist\/controllers\/main\.js$/);
    const variables = variablesOf(read('systemd/controller-manager.env'));
    const { profile } = managerFlags(...flags.map((flag) => filled(flag, variables))).naming;
    assert.equal(profile, 'orch');
  });

  it('compose.yaml and the systemd unit start schedulers with valid flags', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    assert.deepEqual(named(services, 'scheduler'), SCHEDULERS);
    const accept = (flags: readonly string[]) => assert.ok('flags' in parseFlagTable(flags, schedulerTable));
    for (const name of SCHEDULERS) accept(splitWords(filled(String(services[name]!.command ?? ''), {})));
    const [node, memory, main, ...flags] = execStart(read('systemd/orch-scheduler.service'));
    assert.equal(flags.pop(), '$FLAGS', 'further flags come last');
    assert.deepEqual([node, memory], ['/usr/bin/node', '--max-semi-space-size=4']);
    assert.match(main ?? '', /\/dist\/scheduler\/main\.js$/);
    accept(flags.map((flag) => filled(flag, variablesOf(read('systemd/scheduler.env')))));
  });

  it('the systemd unit waits for a replica only while its process runs', () => {
    const [, command = ''] = /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(read('systemd/orch-apiserver.service')) ?? [];
    const gone = spawnSync('true').pid;
    const started = Date.now();
    // The unit must not start the health check of a process that has ended, because its output would hide the output of
    // the process.
    const waiting = command.replaceAll(/\$\{MAINPID\}/g, String(gone)).replaceAll('/usr/bin/node', 'echo asked; false');
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', waiting], { encoding: 'utf8', timeout: 30_000 });
    assert.deepEqual([status, stdout, stderr], [1, '', '']);
    assert.ok(Date.now() - started < 20_000);
  });

  it('limits the memory and the log of every container', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    for (const [service, { mem_limit: memory, logging }] of Object.entries(services)) {
      assert.ok(memory, `${service} has a limit of memory`);
      assert.ok(logging?.options['max-size'], `${service} has a limit of its log`);
    }
  });

  it('the systemd unit of etcd sets every flag', () => {
    const [, ...flags] = execStart(read('systemd/etcd.service'));
    const variables = variablesOf(read('systemd/member.env'));
    for (const flag of flags) assert.match(filled(flag, variables), /^--[a-z-]+=\S+$/);
  });

  it('gives each service the certificates that it uses, and no keys of authorities', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'deployment-'));
    const url = 'https://127.0.0.1:6443';
    const deployment: Deployment = {
      naming: createNaming('orch'),
      members: MEMBERS,
      serverNames: ['lb'],
      url,
      owner: undefined,
    };
    assert.equal(makeDeploymentPki(folder, deployment).certificates.length, 17);
    const nothing = { certificates: [], files: [] };
    assert.deepEqual(makeDeploymentPki(folder, deployment), nothing, 'a second call finds everything');
    assert.deepEqual(followSettings(folder, undefined), []);
    assert.deepEqual(
      followSettings(folder, '7443'),
      ['admin', 'controller-manager', 'scheduler']
        .map((user) => `${user}/connection.conf`)
        .concat('authorities/deployment.json'),
      'another port reaches those who connect',
    );
    assert.match(
      readFileSync(path.join(folder, 'admin/connection.conf'), 'utf8'),
      /server: https:\/\/127\.0\.0\.1:7443$/m,
    );
    assert.deepEqual(
      makeDeploymentPki(folder, { ...deployment, serverNames: ['lb', '192.0.2.1'] }).certificates,
      ['apiserver/server'],
      'a new name is added',
    );
    const server = new X509Certificate(readFileSync(path.join(folder, 'apiserver/server.crt')));
    assert.ok(server.checkIP('192.0.2.1') && server.checkHost('lb'));
    const settings = path.join(folder, '.env');
    writeFileSync(settings, 'WORKERS=2\nNAMING=kubernetes\n');
    writeComposeSettings(settings, deployment);
    writeComposeSettings(settings, deployment);
    const lines = readFileSync(settings, 'utf8').split('\n');
    assert.deepEqual(
      lines.filter((line) => /^(NAMING|WORKERS)/.test(line)),
      ['NAMING=orch', 'WORKERS=2'],
    );

    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    for (const [service, content] of Object.entries(services)) {
      const mount = content.volumes?.find((volume) => volume.endsWith(':/pki:ro'));
      if (mount === undefined) continue;
      const part = path.join(folder, /pki\/([\w-]+):/.exec(mount)?.[1] ?? '');
      for (const [, name = ''] of JSON.stringify([content.command, content.environment]).matchAll(/\/pki\/([\w.-]+)/g))
        assert.ok(statSync(path.join(part, name)).isFile(), `${service} finds ${name}`);
      assert.deepEqual(
        readdirSync(part).filter((name) => /^(etcd-|front-)?ca\.key$/.test(name)),
        [],
      );
      for (const key of readdirSync(part).filter((name) => name.endsWith('.key')))
        assert.equal(statSync(path.join(part, key)).mode & 0o077, 0, `${service}/${key} is for its owner only`);
    }
  });
});

describe('metrics that deploy/ uses', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;
  let replica: ReplicaProcess;
  let emitted: ReadonlySet<string>;
  /** The metrics of HAProxy. The end-to-end test checks that HAProxy exports them. */
  const elsewhere = new Set(['up', 'haproxy_server_status']);

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await ReplicaProcess.launch(etcd, '--workers=2');
    await replica.ready();
    const { body } = await replica.call('GET', '/metrics');
    const members = await (await fetch(`${etcd.endpoint}/metrics`)).text();
    // Families without series are not shown yet.
    const own = [...familyTable.keys()];
    const shown = `${body}\n${members}`.matchAll(/^# TYPE (\S+)/gm);
    emitted = new Set([...own, ...[...shown].map(([, name = '']) => name)]);
  });

  after(async () => {
    await replica?.process.stop();
    await etcd?.stop();
  });

  function assertEmitted(expression: string, where: string): void {
    const names = metricsOf(expression);
    assert.ok(names.length > 0, where);
    for (const name of names) {
      const known = [name, name.replace(/_(bucket|sum|count)$/, '')].some((n) => emitted.has(n) || elsewhere.has(n));
      assert.ok(known, `${where} reads ${name}, which no program emits`);
    }
  }

  it('in alerts exist, and each alert is documented', () => {
    const { groups } = parse(read('prometheus/alerts.yml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { runbook_url: string } }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    assert.ok(rules.length > 15);
    const guide = readFileSync(path.join(deploy, '../docs/operations.md'), 'utf8');
    for (const { alert, expr, annotations } of rules) {
      assertEmitted(expr, alert);
      assert.equal(annotations.runbook_url, `docs/operations.md#alert-${alert.toLowerCase()}`);
      const row = `| <a id="alert-${alert.toLowerCase()}"></a>\`${alert}\` |`;
      assert.ok(guide.includes(row), `docs/operations.md explains ${alert}`);
    }
    const { tests } = parse(read('prometheus/alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const expected = tests.flatMap((test) => test.alert_rule_test);
    for (const { alert } of rules)
      assert.deepEqual(
        [true, false].map((fires) =>
          expected.some(({ alertname, exp_alerts }) => alertname === alert && exp_alerts.length > 0 === fires),
        ),
        [true, true],
        `alerts.test.yml shows when ${alert} fires, and when it does not`,
      );
    for (const [, explained] of guide.split('### Alerts')[1]!.matchAll(/^\| <a id="alert-\w+"><\/a>`(\w+)` \|/gm))
      assert.ok(
        rules.some(({ alert }) => alert === explained),
        `${explained} is an alert`,
      );
  });

  it('in the dashboard exist', () => {
    const { panels } = JSON.parse(read('grafana/dashboards/control-plane.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    assert.ok(shown.length > 20);
    for (const { title, expr } of shown) assertEmitted(expr, title);
  });
});

describe('metricsOf', () => {
  const cases: [expression: string, metrics: string[]][] = [
    ['up{job="a"} == 0', ['up']],
    ['sum by (le, verb) (rate(a_bucket{x=~"b|c"}[5m])) > 5e8', ['a_bucket']],
    ['x{s="1"} < ignoring(state) x{s="2"} or topk(10, y:z)', ['x', 'y:z']],
    ['scalar(max(a)) - b and 1.5 * c', ['a', 'b', 'c']],
  ];
  for (const [expression, metrics] of cases) it(expression, () => assert.deepEqual(metricsOf(expression), metrics));
});
