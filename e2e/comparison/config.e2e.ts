import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alike, findYardstick, inAnyOrder, type Outcome, runOwn, runYardstick, wordsOf } from './compare.ts';

/**
 * Commands that run one after the other, with a separate file for each client. After each command, both files must be
 * equal.
 */
const lines = [
  'view',
  'current-context',
  'get-contexts',
  'get-clusters',
  'set-cluster c1 --server=https://1.2.3.4',
  'set-cluster c1 --server=https://1.2.3.5',
  'set-cluster c2 --insecure-skip-tls-verify=true --tls-server-name=x --proxy-url=http://p',
  'set-cluster c3 --certificate-authority=/nope --embed-certs',
  'set-cluster c4 --certificate-authority=/etc/ca.crt',
  'set-credentials u1 --token=t',
  'set-credentials u1 --username=a --password=b',
  'set-credentials u2 --username=a --password=b',
  'set-credentials u2 --token=x --username=a',
  'set-credentials u3 --exec-command=foo --exec-api-version=client.authentication.k8s.io/v1 --exec-arg=a --exec-arg=b --exec-env=X=Y --exec-interactive-mode=Never --exec-provide-cluster-info',
  'set-credentials u4 --client-certificate=/x/y --client-key=/x/z',
  'set-credentials u3 --exec-env=X-',
  'set-context x1 --cluster=c1 --user=u1 --namespace=n',
  'set-context x1 --namespace=m',
  'set-context --current --namespace=q',
  'use-context nope',
  'use-context x1',
  'set-context --current --namespace=q',
  'set-context --current x1',
  'set-context',
  'current-context',
  'get-contexts',
  'get-contexts x1',
  'get-contexts nope',
  'get-contexts -o name',
  'get-contexts -o yaml',
  'get-contexts --no-headers',
  'get-clusters',
  'get-users',
  'view',
  'view --raw',
  'view --minify',
  'view -o json',
  "view -o jsonpath='{.contexts[0].name}'",
  'view --flatten',
  'view x',
  'view -o name',
  'set clusters.c1.server https://9',
  'set contexts.x1.namespace zz',
  'set current-context x1',
  'set users.u9.token abc',
  'set foo.bar x',
  'set clusters.c1.insecure-skip-tls-verify maybe',
  'set clusters.c1.certificate-authority-data abc',
  'set clusters.c1.certificate-authority-data abc --set-raw-bytes',
  'set preferences.colors true',
  'view',
  'unset users.u9',
  'unset users.u9',
  'unset contexts.x1.namespace',
  'unset current-context',
  'unset foo',
  'rename-context x1 x2',
  'rename-context x1 x2',
  'rename-context x2 x2',
  'use-context x2',
  'delete-context nope',
  'delete-context x2',
  'delete-cluster c4',
  'delete-cluster nope',
  'delete-user u1',
  'delete-user nope',
  'delete-user',
  "view --merge=false -o jsonpath='{.kind}'",
  'view --minify',
  'view --context=nope --minify',
  'foo',
];

describe('orchctl config compared with the upstream client', function () {
  this.timeout(120_000);
  const yardstick = findYardstick();
  let folder: string;
  before(function () {
    if (yardstick === undefined) this.skip();
    folder = mkdtempSync(path.join(tmpdir(), 'config-'));
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  it('prints and writes the same, line by line', async () => {
    const [theirs, ours] = ['theirs', 'ours'].map((name) => path.join(folder, name, 'config')) as [string, string];
    for (const file of [theirs, ours]) mkdirSync(path.dirname(file));
    const text = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    const of = (outcome: Outcome, file: string) => {
      const { stdout, stderr, code } = alike(outcome);
      const without = (said: string) => said.replaceAll(path.dirname(file), 'FOLDER');
      return { stdout: without(stdout), stderr: without(stderr), code, file: without(text(file)) };
    };
    // The other program lists names in the order of a map, which differs in every call.
    for (const line of lines) {
      const words = ['config', ...wordsOf(line)];
      const order = /^get-(clusters|users|contexts)/.test(line) ? inAnyOrder : (outcome: Outcome) => outcome;
      const expected = of(order(await runYardstick(yardstick!, words, theirs)), theirs);
      assert.deepEqual(of(order(await runOwn(words, ours, folder)), ours), expected, line);
    }
  });

  it('changes the file that has the entry, if there are several files', async () => {
    const results: string[] = [];
    for (const name of ['theirs2', 'ours2']) {
      const at = path.join(folder, name);
      mkdirSync(at);
      const [a, b] = [path.join(at, 'a'), path.join(at, 'b')];
      for (const [file, entry] of [
        [a, 'one'],
        [b, 'two'],
      ] as const)
        writeFileSync(
          file,
          `contexts: [{name: ${entry}, context: {cluster: c-${entry}, user: u}}]\ncurrent-context: ${entry}\n`,
        );
      for (const line of [
        'config set-context two --namespace=n',
        'config set-context three --user=x',
        'config use-context two',
      ]) {
        const words = wordsOf(line);
        const list = `${a}:${b}`;
        const outcome =
          name === 'ours2' ? await runOwn(words, list, folder) : await runYardstick(yardstick!, words, list);
        assert.equal(outcome.code, 0, outcome.stderr);
      }
      results.push(readFileSync(a, 'utf8') + readFileSync(b, 'utf8'));
    }
    assert.equal(results[1], results[0]);
  });
});
