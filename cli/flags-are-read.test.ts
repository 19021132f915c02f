import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cloneJson } from '#base/json/clone-json.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import type { Command, CommandEntry } from './command-line/command.ts';
import { commands } from './commands/index.ts';
import type { Flag } from './framework/flag.ts';
import { globalFlags } from './framework/global-flags.ts';
import { companions, flagLines, objects, types, values } from './testing/flag-lines.ts';
import { type Readings, readingsOf } from './testing/read-flags.ts';
import { runLine } from './testing/run-line.ts';

/** Flags that change nothing, because the program always does what they request. */
const ANYWAY = new Map([
  ['apply --openapi-patch', 'how lists merge is built in, and the same as published'],
  ['apply --wait', '--force waits until the object is gone'],
  ['replace --wait', '--force waits until the object is gone'],
  ['top node --use-protocol-buffers', 'in which form metrics come is not to be seen'],
  ['top pod --use-protocol-buffers', 'in which form metrics come is not to be seen'],
  ['api-resources --show-managed-fields', 'types have no managers'],
  ['cluster-info dump --pod-running-timeout', 'the logs are of pods that are there'],
]);

/**
 * Flags that are read only after a certain answer, which the server of this test does not give, and the files that read
 * them.
 */
const READ_IN: Readonly<Record<string, string>> = {
  'create secret tls --append-hash': 'commands/create/secret.ts',
  'create secret tls --save-config': 'commands/create/generator.ts',
  'run --command': 'commands/run/command.ts',
  'run --leave-stdin-open': 'commands/run/command.ts',
  'run --timeout': 'commands/run/remove.ts',
  'explain --recursive': 'commands/explain/command.ts',
  'explain --max-depth': 'commands/explain/command.ts',
  'run --detach-keys': 'streams/detach-keys.ts',
  'certificate approve --force': 'commands/certificate/command.ts',
  'certificate deny --force': 'commands/certificate/command.ts',
  'top node --no-headers': 'commands/top/nodes.ts',
  'top node --show-capacity': 'commands/top/nodes.ts',
  'top node --show-swap': 'commands/top/nodes.ts',
  'top pod --no-headers': 'commands/top/pods.ts',
  'top pod --containers': 'commands/top/pods.ts',
  'top pod --sum': 'commands/top/pods.ts',
  'top pod --show-swap': 'commands/top/pods.ts',
  'drain --delete-emptydir-data': 'commands/drain/pods.ts',
  'drain --ignore-daemonsets': 'commands/drain/pods.ts',
  'logs --ignore-errors': 'commands/logs/command.ts',
  'proxy --www-prefix': 'commands/proxy/command.ts',
  'cp --no-preserve': 'commands/cp/command.ts',
  'auth reconcile --remove-extra-permissions': 'commands/auth/reconcile.ts',
  'auth reconcile --remove-extra-subjects': 'commands/auth/reconcile.ts',
  'debug --arguments-only': 'commands/debug/debug-pods.ts',
  'debug --keep-annotations': 'commands/debug/debug-pods.ts',
  'debug --keep-init-containers': 'commands/debug/debug-pods.ts',
  'debug --keep-labels': 'commands/debug/debug-pods.ts',
  'events --no-headers': 'commands/events/command.ts',
  'who-can --no-headers': 'commands/who-can/command.ts',
  'apply --timeout': 'commands/apply/apply.ts',
  'rollout resume --field-manager': 'write/write-options.ts',
  'autoscale --cpu-percent': 'commands/autoscale/command.ts',
  'autoscale --name': 'commands/autoscale/command.ts',
  'autoscale --field-manager': 'write/write-options.ts',
  'autoscale --save-config': 'commands/autoscale/command.ts',
  'autoscale --record': 'write/change-cause.ts',
  'kustomize --output': 'commands/kustomize/command.ts',
  'config set-cluster --embed-certs': 'commands/config/entries.ts',
  'config set-credentials --embed-certs': 'commands/config/entries.ts',
  'kuberc set --overwrite': 'commands/kuberc/set.ts',
  'plugin list --name-only': 'commands/plugin/command.ts',
};

/**
 * Flags of every command that change nothing, because the program always does what they request. Their help says so.
 */
const GLOBAL_ANYWAY: ReadonlySet<string> = new Set(['disable-compression', 'log-flush-frequency']);

/** Flags that take effect before the program knows the command, and the files that read them. */
const GLOBAL_BEFORE: ReadonlyMap<string, string> = new Map([['kuberc', 'preferences/load-preferences.ts']]);

/** Probes for which `debug` reads `--keep-PROBE`. */
const PROBES = ['liveness', 'readiness', 'startup'];

/** The time limit for a command line that does not end by itself, in milliseconds. */
const LONGEST = 400;

async function commandsIn(
  entries: readonly CommandEntry[],
  lead = '',
): Promise<(readonly [name: string, command: Command])[]> {
  const found: (readonly [string, Command])[] = [];
  for (const entry of entries) {
    const command = await entry.load();
    if (command.run !== undefined) found.push([`${lead}${command.name}`, command]);
    found.push(...(await commandsIn(command.subcommands ?? [], `${lead}${command.name} `)));
  }
  return found;
}

const given = ({ name, type }: Flag): string => {
  const other = type === 'bool' ? 'true' : type === 'int' ? '1' : type === 'duration' ? '1s' : 'x';
  return `--${name}=${values.get(name) ?? other}`;
};

/** Records the flags that a command line reads. `more` are the words after the words that name the command. */
async function note(
  name: string,
  [words, input]: readonly [readonly string[], string],
  more: readonly string[],
  into: Readings,
  folder: string,
) {
  const server = new FakeServer(types);
  for (const [type, object] of objects) server.put(type, cloneJson(object));
  const ends = new AbortController();
  const many = name.split(' ').length;
  const preferences = path.join(folder, 'preferences');
  writeFileSync(preferences, 'kind: Preference\napiVersion: orchctl.config.orch.io/v1beta1\n');
  const line = runLine([...words.slice(0, many), ...more, ...words.slice(many)], {
    ...{ client: server.client, input, signal: ends.signal },
    env: {
      PATH: process.env['PATH'],
      EDITOR: "sed -i 's/^  a: b/  a: c/'",
      KUBECONFIG: path.join(folder, 'config'),
      ORCHRC: preferences,
      BROWSER: 'true',
    },
  });
  await readingsOf(() => Promise.race([line, pause(LONGEST, undefined, { ref: false })]), into);
  ends.abort();
}

describe('declared flags', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'flags-are-read-'));
  after(() => rmSync(folder, { recursive: true }));

  it('are read by the command that declares them', async () => {
    const unread: string[] = [];
    const listing: string[] = [];
    for (const [name, { flags = [] }] of await commandsIn(commands)) {
      const lines = flagLines.get(name) ?? [];
      if (flags.length > 0) assert.ok(lines.length > 0, `there is no line for ${name}`);
      const found: Readings = new Map();
      for (const line of lines) await note(name, line, [], found, folder);
      for (const flag of flags)
        for (const line of lines)
          if (!found.has(flag.name) && !isKnown(name, flag))
            await note(name, line, [...(companions.get(flag.name) ?? []), given(flag)], found, folder);
      for (const flag of flags) {
        const what = `${name} --${flag.name}`;
        const place = found.get(flag.name) ?? READ_IN[what] ?? ANYWAY.get(what);
        listing.push(`${what}: ${place ?? 'nowhere'}`);
        if (place === undefined && !isKnown(name, flag)) unread.push(what);
      }
    }
    if (process.env['LIST_FLAGS']) process.stdout.write(`${listing.join('\n')}\n`);
    assert.ok(listing.length > 900, 'commands have lost their flags');
    assert.deepEqual(unread, [], 'a flag that is accepted must do something');
  });

  describe('of every command', () => {
    const options = { env: { KUBECONFIG: path.join(folder, 'no-file') }, home: folder };
    /** A call that ends when it cannot connect. */
    const call = (...words: string[]) =>
      runLine(['get', 'configmaps', '--server=http://127.0.0.1:1', ...words], options);

    /** A call to a server that answers with a warning. */
    async function callWarned(...words: string[]) {
      const server = createServer((_, answer) => answer.writeHead(200, { warning: '299 - "old"' }).end('{}'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        return await runLine(['get', '--raw=/x', `--server=http://127.0.0.1:${port}`, ...words], options);
      } finally {
        server.close();
      }
    }

    it('are read, or their help says that they have no effect', async () => {
      const found: Readings = new Map();
      const file = path.join(folder, 'p');
      await readingsOf(
        async () => {
          await call('--username=u', '--profile=cpu', `--profile-output=${file}`);
          await callWarned();
        },
        found,
        () => false,
      );
      for (const { name, help } of globalFlags) {
        const says = help.startsWith('Accepted for compatibility: ');
        assert.equal(says, GLOBAL_ANYWAY.has(name), `--${name} is said to change nothing, or not`);
        assert.ok(says || found.has(name) || GLOBAL_BEFORE.has(name), `--${name} is read nowhere`);
      }
    });

    it('about warnings take effect', async () => {
      assert.deepEqual(await callWarned(), { stdout: '{}', stderr: 'Warning: old\n', code: 0 });
      const { stderr, code } = await callWarned('--warnings-as-errors');
      assert.deepEqual([stderr, code], ['Warning: old\nerror: 1 warning received\n', 1]);
    });

    it('about logging take effect', async () => {
      const lines = async (...words: string[]) => (await call(...words)).stderr.match(/ orchctl\] /g)?.length ?? 0;
      assert.equal(await lines(), 0);
      assert.equal(await lines('--vmodule=other=9'), 0);
      const asked = await lines('-v=9');
      assert.ok(asked > 0);
      const [requests, files] = [await lines('--vmodule=request-log=9'), await lines('--vmodule=open=9')];
      assert.ok(requests > 0 && files > 0);
      assert.equal(requests + files, asked);
    });
  });

  for (const [what, file] of Object.entries(READ_IN))
    it(`${what} is read in ${file}`, () => {
      const source = new URL(file, import.meta.url);
      assert.ok(existsSync(source), 'the file is gone');
      const name = what.slice(what.indexOf('--') + 2);
      assert.match(readFileSync(source, 'utf8'), new RegExp(`['"]${name}['"]`), 'the file does not read it');
    });
});

function isKnown(name: string, { name: flag }: Flag): boolean {
  const what = `${name} --${flag}`;
  return what in READ_IN || ANYWAY.has(what) || (name === 'debug' && PROBES.some((probe) => flag === `keep-${probe}`));
}
