import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { runLine } from './testing/run-line.ts';

describe('orchctl explain', function () {
  this.timeout(60_000);
  let replica: TestReplica;
  let home: string;
  let file: string;
  aroundAll((started) => {
    replica = started;
  });
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), 'orchctl-'));
    file = path.join(home, 'admin.conf');
    const pki = testPki();
    writeConnectionFile(file, 'admin', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
  });
  after(() => rmSync(home, { recursive: true }));

  const run = (line: string) => runLine(wordsOf(line), { home, env: { ORCHCONFIG: file } });

  it('--search finds fields by words, the best match first, and each field once', async () => {
    const { stdout, code } = await run("explain --search 'restart policy'");
    assert.equal(code, 0);
    const fields = stdout.split('\n').filter((line) => /^\S+ <.*>$/.test(line));
    assert.equal(fields[0], 'pods.spec.restartPolicy <string>');
    assert.equal(new Set(fields).size, fields.length);
    assert.match(stdout, /^pods\.spec\.restartPolicy <string>\n {4}\S.*Always/m);
  });

  it('--search finds only fields of the given type', async () => {
    const { stdout } = await run('explain services --search seconds');
    const types = stdout.split('\n').filter((line) => /^\S+ <.*>$/.test(line));
    assert.ok(types.length > 0);
    for (const line of types) assert.match(line, /^services\./);
    assert.match(stdout, /^services\.spec\.sessionAffinityConfig\.clientIP\.timeoutSeconds <integer>$/m);
  });

  it('--max-depth limits the levels of fields', async () => {
    const levels = async (line: string) => {
      const { stdout } = await run(line);
      const leads = stdout.slice(stdout.indexOf('FIELDS:')).matchAll(/^( +)\S+\t</gm);
      return new Set([...leads].map(([, lead]) => lead!.length));
    };
    for (const [lead, output] of [
      [2, 'plaintext'],
      [3, 'plaintext-openapiv2'],
    ] as const) {
      const shown = (depth: number) => levels(`explain pods -R --max-depth=${depth} --output=${output}`);
      assert.deepEqual([...(await shown(2))].sort(), [lead, 2 * lead]);
      assert.ok((await shown(0)).size > 3);
    }
    for (const [line, why] of [
      ['explain pods --max-depth=1', 'error: --max-depth requires --recursive\n'],
      ['explain pods -R --max-depth=-1', 'error: --max-depth must be non-negative\n'],
    ])
      assert.equal((await run(line!)).stderr, why);
  });

  it('--search reports that no field matches', async () => {
    const { stderr, code } = await run('explain --search xyzzy');
    assert.equal(code, 1);
    assert.match(stderr, /no field has the words: xyzzy/);
  });

  it('-o details shows all values, the defaults and an example', async () => {
    const { stdout, stderr } = await run('explain service.spec.ports -o details');
    assert.equal(stderr, '');
    assert.match(stdout, /^Service \(v1\)\nspec\.ports <\[\]ServicePort>\n\n\S/);
    assert.match(stdout, /^ {2}protocol <string>\n( {4}.*\n)+ {4}Values: SCTP, TCP, UDP\n {4}Default: TCP\n/m);
    assert.match(stdout, /^ {2}port <integer> required\n/m);
    assert.match(stdout, /\nExample:\n\n {2}ports:\n {2}- name: http\n/);
  });

  it('-o details shows all values, where the default output shows only four', async () => {
    assert.match((await run('explain job.status.completionMode -o details')).stderr, /does not exist/);
    assert.match(
      (await run('explain persistentvolume.status -o details')).stdout,
      /Values: Available, Bound, Failed, Pending, Released\n/,
    );
  });
});
