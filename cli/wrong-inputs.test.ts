import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError } from '#client/errors.ts';
import { builtIn } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { runLine } from './testing/run-line.ts';

const configMaps = builtIn('', 'v1', 'configmaps', 'ConfigMap', true);
const nodes = builtIn('', 'v1', 'nodes', 'Node', false);

/** A wrong command line, its error, and its exit code if that is not 1. */
type Wrong = readonly [line: string, said: RegExp, code?: number];

/** The command line itself. */
const lines: readonly Wrong[] = [
  ['xyzzy', /^Error: unknown command "xyzzy"/],
  ['versoin', /Did you mean this\?\n\tversion/],
  ['--nope', /^Error: unknown flag: --nope\nSee 'orchctl --help'/],
  ['get --nope', /^Error: unknown flag: --nope\nSee 'orchctl get --help'/],
  ['get -Z', /unknown shorthand flag: 'Z' in -Z/],
  ['get -AZ', /unknown shorthand flag: 'Z' in -Z/],
  ['get -o', /flag needs an argument: 'o' in -o/],
  ['get --output', /flag needs an argument: --output/],
  ['get ---x', /bad flag syntax: ---x/],
  ['get --=x', /bad flag syntax: --=x/],
  ['get cm --chunk-size=x', /invalid argument "x" for "--chunk-size" flag/],
  ['get cm --chunk-size=1.5', /invalid argument "1.5"/],
  ['get cm -A=maybe', /invalid argument "maybe" for "-A, --all-namespaces" flag/],
  ['get cm -v=high', /invalid argument "high" for "-v, --v" flag/],
  ['get cm --log-flush-frequency=5', /missing unit in duration "5"/],
  ['get cm --request-timeout=soon', /Invalid timeout value/],
  ['get cm --server=:::', /host must be a URL or a host:port pair: "http:\/\/:::"/],
  ['get', /Required resource not specified/],
  ['get foo', /doesn't have a resource type "foo"/],
  ['get configmap,foo', /resource type "foo"/],
  ['get configmaps/', /must have a single resource and name/],
  ['get configmaps/a/b', /more than one slash/],
  ['get configmaps/a b', /no need to specify a resource type/],
  ['get configmaps a -A', /cannot be retrieved by name across all namespaces/],
  ['get configmaps a -l x=y', /name cannot be provided when a selector/],
  ['get configmaps -n a/b', /invalid namespace "a\/b"/],
  ['get configmaps -n a%b', /invalid namespace "a%b"/],
  ['get configmaps nope', /\(NotFound\): configmaps "nope" not found/],
  ['get configmaps --at=yesterday', /--at must be a resourceVersion \(4711\) or an age \(5m\)/],
  ['get configmaps --at=-5m', /--at must be/],
  ['get configmaps -w --at=1', /--at cannot be used together with --watch/],
  ['get -w configmaps,nodes', /only specify a single resource type/],
  ['get --raw x', /--raw must be a valid URL path/],
  ['get configmaps --raw /x', /arguments may not be passed when --raw/],
  ['get configmaps -o bogus', /allowed formats are: custom-columns,/],
  ['get configmaps -o json=x', /unable to match a printer/],
  ['get configmaps -o jsonpath', /no template given/],
  ["get configmaps -o 'jsonpath={.a'", /unclosed action/],
  ["get configmaps -o 'jsonpath={.a[x]}'", /invalid array index x/],
  ["get configmaps -o 'jsonpath={.a[?(@.x]}'", /unterminated filter/],
  ["get configmaps -o 'jsonpath={\"a}'", /unterminated quoted string/],
  ["get configmaps -o 'jsonpath={foo}'", /unrecognized identifier foo/],
  ["get configmaps -o 'jsonpath={.items[9].x}'", /array index out of bounds/],
  ['get configmaps -o jsonpath-file=/nope', /\/nope: no such file/],
  ['get configmaps -o custom-columns', /no custom columns given/],
  ['get configmaps -o custom-columns=X', /expected <header>:<json-path-expr>/],
  ['get configmaps -o custom-columns=X:{', /unexpected path string/],
  ['get configmaps -o custom-columns-file=/nope', /\/nope: no such file/],
  ["get configmaps -o 'go-template={{.a'", /unclosed action/],
  ["get configmaps -o 'go-template={{nope .}}'", /function "nope" not defined/],
  ["get configmaps -o 'go-template={{range .items}}'", /unexpected EOF/],
  ["get configmaps -o 'go-template={{end}}'", /unexpected \{\{end\}\}/],
  ['get configmaps -o \'go-template={{template "x"}}\'', /template "x" not defined/],
  ['get configmaps -o \'go-template={{define "x"}}{{template "x"}}{{end}}{{template "x"}}\'', /maximum template depth/],
  ["get configmaps -o 'go-template={{index .items 99}}'", /out of range/],
  ['get configmaps -o go-template-file=/nope', /\/nope: no such file/],
  ['get configmaps --sort-by={ -o name', /unexpected path string/],
  ['get -f /nope.yaml', /the path "\/nope.yaml" does not exist/],
  ['get -f /nope.yaml configmaps', /\/nope.yaml/],
  ['get -f http://127.0.0.1:10/x', /The connection to the server 127.0.0.1:10 was refused/],
  ['describe', /You must specify the type/],
  ['describe configmaps nope', /"nope" not found/],
  ['explain', /You must specify the type/],
  ['explain a b', /only this format: explain RESOURCE/],
  ['explain configmaps -o x', /unrecognized format: x/],
  ['explain nope', /doesn't have a resource type "nope"/],
  ['version x', /extra arguments: \[x\]/],
  ['version -o x', /--output must be 'yaml' or 'json'/],
  ['api-resources x', /unexpected arguments: \[x\]/],
  ['api-resources --sort-by=x', /accepts only name or kind/],
  ['api-versions x', /unexpected arguments: \[x\]/],
  ['history', /You must provide one or more resources/],
  ['history configmaps', /no name was specified/],
  ['history configmaps nope', /"nope" not found/],
  ['tree configmaps nope', /"nope" not found/],
  ['who-can', /two or three arguments/],
  ['who-can get nope', /doesn't have a resource type "nope"/],
  ['completion', /Shell not specified/],
  ['completion csh', /Unsupported shell type "csh"/],
  ['config nope', /unknown command "nope"/],
  ['config current-context', /current-context is not set/],
  ['config use-context nope', /no context exists with the name: "nope"/],
  ['config use-context', /Unexpected args: \[\]/],
  ['config set-context a b', /Unexpected args: \[a b\]/],
  ['config set-credentials a b', /unexpected args: \[a b\]/],
  ['config delete-user a b', /user to delete is required/],
  ['--profile=x get configmaps', /unknown profile 'x'/],
  ['config set a', /Unexpected args: \[a\]/],
  ['config set foo.bar x', /unable to parse foo.bar/],
  ['config set clusters.a.nope x', /no field "nope": it is one of server,/],
  ['config set clusters.a.insecure-skip-tls-verify x', /parsing "x": invalid syntax/],
  ['config set users.a.client-key-data x', /illegal base64 data/],
  ['config delete-context nope', /cannot delete context nope/],
  ['config rename-context a b', /cannot rename the context "a"/],
  ['config set-context', /non-empty context name or --current/],
  ['config view --minify', /cannot locate context/],
  ['plugin list', /unable to find any orchctl plugins/],
  ['--kubeconfig=/nope get configmaps', /stat \/nope: no such file or directory/],
];

/** The contents of a file that `-f` reads. */
const files: readonly (readonly [content: string, said: RegExp])[] = [
  ['a: [\n', /error converting YAML to JSON: yaml: line 1: did not find expected node content/],
  ['a: 1\na: 2', /Object 'Kind' is missing in '{"a":2}'/],
  ['- a', /cannot unmarshal array into Go value of type unstructured.detector/],
  ['just text', /cannot unmarshal string into Go value/],
  ['apiVersion: v1', /Object 'Kind' is missing/],
  ['kind: Foo\napiVersion: bar/v1', /no matches for kind "Foo" in version "bar\/v1"\nensure CRDs are installed first/],
  [
    'kind: ConfigMap\napiVersion: v1\nmetadata: [a]',
    /cannot unmarshal array into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta/,
  ],
  ['kind: ConfigMap\napiVersion: v1\nmetadata: text', /cannot unmarshal string into Go struct field/],
  ['kind: ConfigMap\napiVersion: v1\nmetadata: {name: a, namespace: other}', /does not match the namespace "one"/],
  [`a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]\nkind: X`, /alias/i],
];

/** Invalid connection files: their content, and the expected message. */
const connections: readonly (readonly [content: string, said: RegExp])[] = [
  ['a: [', /^error: error loading config file "\S+": yaml: did not find expected node content/],
  ['- a', /^error: error loading config file "\S+": couldn't get version\/kind; .* cannot unmarshal array/],
  ['clusters: 1', /^error: error loading config file "\S+": \S+:1:11: clusters must be a list$/m],
  ['users: [{}]', /^error: error loading config file "\S+": \S+:1:9: users\[0\]\.name is missing$/m],
  ['&a [*b]', /^error: error loading config file "\S+": yaml: unknown anchor 'b' referenced/],
  ['current-context: nope', /^Error in configuration: context was not found for specified context: nope\n$/],
  [
    'contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "ftp://x"}}]\nusers: [{name: u}]\ncurrent-context: x',
    /usable|ftp/,
  ],
  [
    'contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]\ncurrent-context: x',
    /^error: \S+:1:50: contexts\[0\]\.context\.user is not the name of one of users$/m,
  ],
];

/** A connection file whose cluster and user also have these fields. */
const withFields = (cluster: string, user: string) =>
  `contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:1"${cluster}}}]\nusers: [{name: u, user: {${user}}}]\ncurrent-context: x\n`;

/** Certificates and keys that do not exist, or are not valid. */
const credentials: readonly (readonly [cluster: string, user: string, said: RegExp])[] = [
  [
    ', certificate-authority: /nope',
    '',
    /^error: unable to read certificate-authority \/nope for c due to open \/nope: no such file or directory\n$/,
  ],
  [
    '',
    'client-certificate: /nope, client-key: /no',
    /^Error in configuration:\n\* unable to read client-cert \/nope for u due .*\n\* unable to read client-key \/no for u due .*\n$/,
  ],
  [
    ', certificate-authority-data: AAAA',
    '',
    /^error: unable to load root certificates: unable to parse bytes as PEM block\n$/,
  ],
  [
    '',
    'client-certificate-data: AAAA, client-key-data: AAAA',
    /tls: failed to find any PEM data in certificate input\n.*tls: failed to find any PEM data in key input\n$/,
  ],
];

describe('wrong inputs', function () {
  this.timeout(60_000);
  const server = new FakeServer([configMaps, nodes]);
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'wrong-'));
    server.put(configMaps, { metadata: { name: 'a', namespace: 'default' } });
    server.handle((_, target) => {
      if (target === '/api' || target === '/apis')
        return {
          kind: 'APIGroupDiscoveryList',
          items:
            target === '/apis'
              ? []
              : [
                  {
                    metadata: { name: '' },
                    versions: [
                      {
                        version: 'v1',
                        resources: [configMaps, nodes].map(({ plural, kind, namespaced }) => ({
                          resource: plural,
                          responseKind: { kind },
                          scope: namespaced ? 'Namespaced' : 'Cluster',
                          singularResource: kind.toLowerCase(),
                          verbs: ['get', 'list', 'watch'],
                        })),
                      },
                    ],
                  },
                ],
        };
      return undefined;
    });
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Checks that the error is one message, and not a stack trace. */
  function checkMessage({ stderr, code }: { stderr: string; code: number }, said: RegExp, wanted = 1): void {
    assert.match(stderr, said);
    assert.equal(code, wanted, stderr);
    assert.doesNotMatch(stderr, /\n\s+at |TypeError|undefined is not|\[object/);
    assert.ok(stderr.trimEnd().split('\n').length <= 8, `too much is said: ${stderr}`);
  }

  for (const [line, said, code] of lines)
    it(line, async () =>
      checkMessage(await runLine(wordsOf(line), { client: server.client, home: folder }), said, code),
    );

  for (const [content, said] of files)
    it(`a file: ${content.slice(0, 60).replaceAll('\n', ' / ')}`, async () => {
      const words = ['get', '-f', '-', '-n', 'one'];
      checkMessage(await runLine(words, { client: server.client, home: folder, input: content }), said);
    });

  for (const [at, [content, said]] of connections.entries())
    it(`a connection file: ${content.slice(0, 60).replaceAll('\n', ' / ')}`, async () => {
      const file = path.join(folder, `connection-${at}`);
      writeFileSync(file, content);
      checkMessage(await runLine(['get', 'configmaps', `--kubeconfig=${file}`], { home: folder }), said);
    });

  for (const [cluster, user, said] of credentials)
    it(`a connection file with ${cluster}${user}`, async () => {
      const file = path.join(folder, 'credentials');
      writeFileSync(file, withFields(cluster, user));
      checkMessage(await runLine(['get', 'configmaps', `--kubeconfig=${file}`], { home: folder }), said);
    });

  it('a folder without manifests', async () => {
    const empty = path.join(folder, 'empty');
    mkdirSync(empty);
    checkMessage(
      await runLine(['get', '-f', empty], { client: server.client, home: folder }),
      /recognized file extensions are/,
    );
  });

  describe('faulty servers', () => {
    let http: Server;
    let url: string;
    let answer: (path: string) => { status: number; type?: string; body?: string; warning?: string } | undefined = () =>
      undefined;
    before(async () => {
      http = createServer((request, response) => {
        const { status, type = 'application/json', body = '', warning } = answer(request.url ?? '') ?? { status: 0 };
        if (status === 0) return;
        response.writeHead(status, { 'content-type': type, ...(warning === undefined ? {} : { warning }) }).end(body);
      });
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    });
    after(() => {
      http.closeAllConnections();
      http.close();
    });

    const get = (...more: string[]) => runLine(['get', 'cm', `--server=${url}`, ...more], { home: folder });

    it('that do not answer', async () => {
      answer = () => undefined;
      checkMessage(
        await get('--request-timeout=300ms'),
        /^Unable to connect to the server: context deadline exceeded\n$/,
      );
    });
    it('that cannot be reached', async () => {
      const outcome = await runLine(['get', 'cm', '--server=http://127.0.0.1:1'], { home: folder });
      checkMessage(
        outcome,
        /^The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port\?\n$/,
      );
    });
    it('that cannot be reached, with a hint on a terminal', async () => {
      const outcome = await runLine(['get', 'cm', '--server=http://127.0.0.1:1'], { home: folder, columns: 80 });
      checkMessage(outcome, /`orchctl config view --minify` shows where/);
    });
    it('that answer with HTML', async () => {
      answer = () => ({ status: 200, type: 'text/html', body: '<html>Hello</html>' });
      checkMessage(await get(), /^error: invalid character '<' looking for beginning of value\n$/);
    });
    it('that answer every path with 404', async () => {
      answer = () => ({ status: 404, type: 'text/plain', body: '404 page not found' });
      checkMessage(await get(), /\(NotFound\): the server could not find the requested resource/);
    });
    it('that answer with 500', async () => {
      answer = () => ({ status: 500, type: 'text/plain', body: 'oops' });
      checkMessage(
        await get(),
        /^Error from server \(InternalError\): an error on the server \("oops"\) has prevented the request from succeeding\n$/,
      );
    });
    it('that answer with 429 until the timeout', async () => {
      answer = () => ({ status: 429, type: 'text/plain', body: 'later' });
      checkMessage(
        await get('--request-timeout=1s'),
        /^Error from server \(TooManyRequests\): the server has received too/,
      );
    });
    it('that answer get --raw with HTML', async () => {
      answer = () => ({ status: 200, type: 'text/html', body: '<html>Hello</html>' });
      const outcome = await runLine(['get', '--raw', '/x', `--server=${url}`], { home: folder });
      assert.deepEqual(outcome, { stdout: '<html>Hello</html>', stderr: '', code: 0 });
    });
    it('that answer with a warning and an error', async () => {
      const status = { kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', message: 'no' };
      answer = () => ({ status: 403, body: JSON.stringify(status), warning: '299 - "old and gone soon"' });
      checkMessage(await get(), /^Warning: old and gone soon\nError from server \(Forbidden\): no\n$/);
    });
    it('that answer with 401', async () => {
      const status = { kind: 'Status', apiVersion: 'v1', code: 401, reason: 'Unauthorized', message: 'Unauthorized' };
      answer = () => ({ status: 401, body: JSON.stringify(status) });
      checkMessage(await get(), /^error: You must be logged in to the server \(Unauthorized\)/);
    });

    const plugin = (script: string, more = '') => {
      const program = path.join(folder, 'plug-in');
      writeFileSync(program, `#!/bin/sh\n${script}\n`);
      chmodSync(program, 0o755);
      const file = path.join(folder, 'plug-in.conf');
      const exec = `{command: ./plug-in, apiVersion: client.authentication.orch.io/v1beta1${more}}`;
      writeFileSync(
        file,
        `contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "${url}"}}]\nusers: [{name: u, user: {exec: ${exec}}}]\ncurrent-context: x\n`,
      );
      return file;
    };
    for (const [what, script, more, said] of [
      ['fails', 'exit 3', '', /credential plug-in .*plug-in failed: it ended with status 3/],
      ['prints nothing', ':', '', /did not answer with JSON/],
      ['prints another kind', 'echo \'{"kind":"Pod"}\'', '', /did not answer with an ExecCredential/],
      ['prints another version', 'echo \'{"kind":"ExecCredential","apiVersion":"v9"}\'', '', /answered in v9/],
      ['never ends', 'exec sleep 60', '', /context deadline exceeded/],
      ['needs a terminal', ':', ', interactiveMode: Always', /needs a terminal, and there is none/],
    ] as const)
      it(`with a credential plug-in that ${what}`, async () => {
        const file = plugin(script, more);
        checkMessage(
          await runLine(['get', 'cm', `--kubeconfig=${file}`, '--request-timeout=2s'], { home: folder }),
          said,
        );
      });
  });

  it('a 403 suggests how to find out the current user', async () => {
    server.handle((call, target) => {
      if (call.method === 'GET' && target.endsWith('/configmaps/secret'))
        throw new ApiError(403, {
          kind: 'Status',
          code: 403,
          reason: 'Forbidden',
          message: 'configmaps "secret" is forbidden',
        });
      return undefined;
    });
    const outcome = await runLine(['get', 'configmaps', 'secret'], {
      client: server.client,
      home: folder,
      columns: 80,
    });
    checkMessage(outcome, /^Error from server \(Forbidden\): .*\n`orchctl auth whoami` shows who you are/);
  });
});
