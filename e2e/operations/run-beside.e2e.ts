import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiRequest } from '#scripts/api-request.ts';
import type { Pki } from '#scripts/pki.ts';
import { type Background, freePort, startBackground, waitFor } from '#scripts/processes.ts';

const script = path.resolve(import.meta.dirname, '../../scripts/run.ts');

/** The certificates in a folder of `make run`, which identify a client as one of its users. */
function pkiAs(folder: string, user: string): Pki {
  const file = (name: string) => path.join(folder, 'pki', name.replace(/^admin\b/, user));
  return { directory: folder, file, read: (name) => readFileSync(file(name), 'utf8') };
}

describe('two parallel runs of make run', function () {
  this.timeout(180_000);
  const folders = ['first', 'second'].map((name) => mkdtempSync(path.join(tmpdir(), `run-${name}-`)));
  const running: Background[] = [];
  /** The ports of the replicas of each folder. */
  let ports: number[][];

  before(async () => {
    // All servers request the same ports at the same time.
    const wanted = await freePort(27000 + Math.floor(Math.random() * 1000));
    const PORTS = `${wanted},${wanted + 1}`;
    for (const RUN_DIR of folders) {
      const log = path.join(RUN_DIR, 'run.log');
      running.push(startBackground(`make run in ${RUN_DIR}`, process.execPath, [script], log, { RUN_DIR, PORTS }));
    }
    const said = (folder: string) => readFileSync(path.join(folder, 'run.log'), 'utf8');
    for (const [index, process] of running.entries())
      await waitFor(process, 120, async () => said(folders[index]!).includes('Ctrl-C stops everything'));
    ports = folders.map((folder) =>
      [...said(folder).matchAll(/Replica \d+ is ready: https:\/\/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port)),
    );
  });

  after(async () => {
    await Promise.all(running.map((process) => process.stop()));
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  it('have separate data and ports', async () => {
    assert.equal(new Set(ports.flat()).size, 4, JSON.stringify(ports));
    const maps = '/api/v1/namespaces/default/configmaps';
    for (const [index, folder] of folders.entries()) {
      const pki = pkiAs(folder, 'admin');
      const [first, second] = ports[index]!;
      const created = await apiRequest(pki, first!, 'POST', maps, { metadata: { name: `of-${index}` } });
      assert.equal(created.status, 201, created.body);
      const { body } = await apiRequest(pki, second!, 'GET', `${maps}?fieldSelector=metadata.name!=orch-root-ca.crt`);
      const { items } = JSON.parse(body) as { items: { metadata: { name: string } }[] };
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name),
        [`of-${index}`],
      );
    }
  });

  it('restrict node labels as deploy/ does', async () => {
    const pki = pkiAs(folders[0]!, 'node1');
    const node = (labels: object) => ({ metadata: { name: 'node1', labels } });
    const refused = await apiRequest(pki, ports[0]![0]!, 'POST', '/api/v1/nodes', {
      ...node({ 'node-restriction.orch.io/secret': 'yes' }),
    });
    assert.equal(refused.status, 403, refused.body);
    assert.match(refused.body, /node-restriction/);
    const taken = await apiRequest(pki, ports[0]![0]!, 'POST', '/api/v1/nodes', node({ shelf: '7' }));
    assert.equal(taken.status, 201, taken.body);
  });
});
