import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runLine } from '../testing/run-line.ts';

/** Commands of `config` show the names of these connections. */
const CONNECTIONS = `apiVersion: v1
kind: Config
current-context: b
contexts:
- {name: a, context: {cluster: c, user: u}}
- {name: b, context: {cluster: c, user: u}}
users:
- {name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never}}}
clusters:
- {name: c, cluster: {server: 'https://127.0.0.1:1'}}
`;

const HEAD = 'apiVersion: orchctl.config.orch.io/v1beta1\nkind: Preference\n';
const UPSTREAM = 'apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n';
const EARLIER = 'apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\n';

/** Preferences that show only the names of contexts. */
const NAMES = `${HEAD}defaults: [{command: config get-contexts, options: [{name: output, default: name}]}]`;
const ALIASES = `${HEAD}aliases:
- {name: ctx, command: config get-contexts, options: [{name: output, default: name}], prependArgs: [a]}
- {name: last, command: config get-contexts, options: [{name: no-headers, default: "true"}], appendArgs: [-o, name, --, b]}
`;

describe('preferences', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'preferences-'));
    mkdirSync(path.join(home, '.orch'));
    writeFileSync(path.join(home, '.orch/config'), CONNECTIONS);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const lines: readonly (readonly [what: string, file: string, line: string, output: string | RegExp])[] = [
    ['a default value of a flag is used', NAMES, 'config get-contexts', 'a\nb\n'],
    ['a flag on the command line has precedence over a default', NAMES, 'config get-contexts -o=name a', 'a\n'],
    ['a default is for its own command only', NAMES, 'config current-context', 'b\n'],
    ['a file in the other naming is read', NAMES.replace(HEAD, UPSTREAM), 'config get-contexts', 'a\nb\n'],
    [
      'a file of an earlier version is read',
      NAMES.replace(HEAD, EARLIER).replace('defaults', 'overrides').replace('options', 'flags'),
      'config get-contexts',
      'a\nb\n',
    ],
    ['an alias adds its arguments', ALIASES, 'ctx', 'a\n'],
    ['the arguments of an alias come before the arguments on the command line', ALIASES, 'ctx b', 'a\nb\n'],
    ['an alias can append arguments', ALIASES, 'last a', 'a\nb\n'],
    ['global flags can precede an alias', ALIASES, '--request-timeout 3s ctx', 'a\n'],
    [
      'a command has precedence over an alias',
      `${HEAD}aliases: [{name: config, command: version}]`,
      'config current-context',
      'b\n',
    ],
    [
      'an unknown flag is refused',
      `${HEAD}defaults: [{command: config view, options: [{name: nope, default: x}]}]`,
      'config view',
      /^error occurred while applying preferences invalid flag nope for command config view$/m,
    ],
    [
      'an invalid default value is refused',
      `${HEAD}defaults: [{command: config view, options: [{name: raw, default: x}]}]`,
      'config view',
      /could not apply override value x to flag raw in command config view err: invalid argument "x" for "--raw" flag/,
    ],
    [
      'an unknown command is warned about',
      `${HEAD}defaults: [{command: nope, options: []}]`,
      'config current-context',
      'Warning: command "nope" not found to set kuberc override\nb\n',
    ],
    [
      'an alias of an unknown command is refused',
      `${HEAD}aliases: [{name: x, command: nope}]`,
      'x',
      /command "nope" not found to set alias "x"/,
    ],
    [
      'an invalid alias name is refused',
      `${HEAD}aliases: [{name: a-b, command: get}]`,
      'version',
      /invalid alias name/,
    ],
    [
      'a flag name with dashes is refused',
      `${HEAD}defaults: [{command: get, options: [{name: --raw, default: x}]}]`,
      'version',
      /without dashes/,
    ],
    [
      'a file that is not a preferences file is ignored',
      'kind: Other',
      'config current-context',
      /^kuberc: no preferences loaded from .*\nb\n$/,
    ],
    [
      'unknown fields are ignored with a warning',
      `${HEAD}foo: 1`,
      'config current-context',
      /ignoring strict decoding error .*"foo"\nb\n$/,
    ],
    [
      'DenyAll forbids every credential plug-in',
      `${HEAD}credentialPluginPolicy: DenyAll`,
      'get pods',
      /plugin "no-such-login" not allowed/,
    ],
    [
      'an allowlist forbids other credential plug-ins',
      `${HEAD}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: other}]`,
      'get pods',
      /plugin path "no-such-login" cannot be resolved for credential plugin allowlist check/,
    ],
    [
      'an empty allowlist is refused',
      `${HEAD}credentialPluginPolicy: Allowlist`,
      'version',
      /but allowlist is unspecified/,
    ],
  ];
  for (const [what, file, line, output] of lines)
    it(what, async () => {
      writeFileSync(path.join(home, '.orch/orchrc'), file);
      const { stdout, stderr } = await runLine(line.split(' '), { home, env: {} });
      if (typeof output === 'string') assert.equal(stderr + stdout, output);
      else assert.match(stderr + stdout, output);
    });

  it('reads the file of the flag, of the environment variable, or no file', async () => {
    const other = path.join(home, 'other');
    writeFileSync(other, NAMES);
    const names = async (line: string, env: NodeJS.ProcessEnv) =>
      (await runLine(`config get-contexts ${line}`.trim().split(' '), { home, env })).stdout === 'a\nb\n';
    assert.deepEqual(
      await Promise.all([
        names('', {}),
        names(`--kuberc=${other}`, {}),
        names(`--kuberc ${other}`, {}),
        names('', { ORCHRC: other }),
        names('', { KUBERC: other }),
        names('', { KUBERC: 'off', ORCHRC: other }),
      ]),
      [false, true, true, true, true, false],
    );
  });

  it('the command kuberc sets and shows preferences', async () => {
    const file = path.join(home, '.orch/orchrc');
    const run = async (...words: string[]) => runLine(['kuberc', ...words], { home, env: {} });
    const set = 'set --section defaults --command get --option output=wide'.split(' ');
    assert.deepEqual(await run(...set), { stdout: `Updated ${file}\n`, stderr: '', code: 0 });
    assert.match((await run(...set)).stderr, /defaults for command "get" already exist, use --overwrite to replace/);
    await run(...'set --section aliases --name n --command get --prependarg nodes'.split(' '));
    assert.equal(
      readFileSync(file, 'utf8'),
      `aliases:
- command: get
  name: "n"
  prependArgs:
  - nodes
apiVersion: orchctl.config.orch.io/v1beta1
defaults:
- command: get
  options:
  - default: wide
    name: output
kind: Preference
`,
    );
    assert.equal((await run('view', '-o=jsonpath={.aliases[0].name}')).stdout, 'n');
  });
});
