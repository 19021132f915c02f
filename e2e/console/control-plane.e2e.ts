import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { formatConnection, writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { type Background, freePort } from '#scripts/processes.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { type RoundRobin, startRoundRobin } from '../round-robin.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

for (const profile of namingProfiles)
  describe(`the control plane page of the console with the naming ${profile}`, function () {
    this.timeout(120_000);
    const naming = createNaming(profile);
    const pki = temporaryPki(profile);
    const stage = new ConsoleStage();
    let etcd: EtcdProcess;
    let replicas: Replica[] = [];
    let manager: Background;
    let managerPort: number;
    let balancer: RoundRobin;

    before(async () => {
      etcd = await EtcdProcess.start();
      const first = await startReplica(pki, etcd.endpoint, { profile });
      replicas = [first, await startReplica(pki, etcd.endpoint, { profile })];
      managerPort = await freePort(24_000 + Math.floor(Math.random() * 1000));
      const flags = managerProcessFlags(naming, pki, { apiPort: replicas[1]!.port, port: managerPort });
      const main = path.resolve(import.meta.dirname, '../../dist/controllers/main.js');
      manager = startManagerProcess('manager', main, flags, pki.file('manager.log'));
      balancer = await startRoundRobin(replicas.map(({ port }) => port));
      writeConnectionFile(stage.connection, naming.product, {
        server: `https://127.0.0.1:${balancer.port}`,
        ca: pki.read('ca.crt'),
        clientCertificate: pki.read('admin.crt'),
        clientKey: pki.read('admin.key'),
      });
      await stage.startOn();
    });
    after(async () => {
      await stage.end();
      await manager?.stop();
      await balancer?.stop();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await etcd?.stop();
    });

    it('names the missing permission to a user who cannot read metrics, and shows the rest', async () => {
      const token = /^([^,]+),bob,/m.exec(readFileSync(pki.file('tokens.csv'), 'utf8'))![1]!;
      const file = path.join(stage.folder, 'bob');
      const server = `https://127.0.0.1:${balancer.port}`;
      writeFileSync(file, formatConnection('bob', { server, ca: pki.read('ca.crt'), token }));
      const page = await stage.page(await stage.consoleOf(file));
      await page.getByRole('button', { name: 'Control plane' }).click();
      await page.getByText('You need the right to get the path').waitFor();
      await page.getByText('ready', { exact: true }).waitFor();
      await page.getByText('You may not list leases').waitFor();
      await page.getByText('certificatesigningrequests: you may not list them').waitFor();
      assert.deepEqual(await barriers(page), []);
    });

    it('shows the replicas, their requests, certificates, caches, etcd members and leaders', async () => {
      const old = '/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers';
      const headers = { 'content-type': 'application/json', 'user-agent': 'old-tool/1' };
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      const body = JSON.stringify({ metadata: { name: 'old' }, spec: { maxReplicas: 2, scaleTargetRef } });
      await stage.client.call({ method: 'POST', path: `${old}?fieldManager=old-tool`, headers, body });
      const complaints: string[] = [];
      const page = await stage.page(await stage.console(`--managers=127.0.0.1:${managerPort}`), complaints);
      await page.getByRole('button', { name: 'Control plane' }).click();
      const table = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('table');
      const row = (name: string, text: string | RegExp) => table(name).getByRole('row').filter({ hasText: text });
      for (const { port } of replicas) {
        await row('Replicas', `127.0.0.1:${port}`).getByText('ready', { exact: true }).waitFor();
        await row('Certificates and tokens', `127.0.0.1:${port} shows`).first().waitFor();
        await row('Caches of the replicas', `127.0.0.1:${port}`).waitFor();
      }
      await row('Requests by verb and code', 'POST').first().waitFor();
      await row('Durations by verb', 'POST').waitFor();
      await row('Requests under way and waiting, by flow', 'exempt').first().waitFor();
      await row('Open watches by resource', 'configmaps').waitFor();
      await row('Members of etcd', etcd.endpoint).waitFor();
      await row('Leaders', naming.prefixed('controller-manager')).getByText('leads').waitFor();
      await row('Managers', `127.0.0.1:${managerPort}`).waitFor();
      await row('Work queues', `127.0.0.1:${managerPort}`).first().waitFor();
      await row('Certificates and tokens', 'your client certificate').waitFor();
      await page.getByRole('button', { name: 'Who wrote through it?' }).click();
      await row('Who wrote horizontalpodautoscalers of autoscaling/v2beta2', 'old-tool').waitFor();
      await page
        .getByText(/^Checks of/)
        .first()
        .click();
      await page.getByText('ping: passed').first().waitFor();
      await page.getByText('Numbers: Requests a second').click();
      await table('Requests a second').getByRole('row').nth(1).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.deepEqual(complaints, []);
    });

    it('reports a killed replica and continues', async () => {
      const configMaps = stage.client.resource(coreV1.configmaps).in('default');
      await configMaps.create({ metadata: { name: 'before', namespace: 'default' } });
      const page = await stage.page(await stage.console());
      await page.getByRole('button', { name: 'configmaps', exact: true }).click();
      await page.getByRole('gridcell', { name: 'before' }).waitFor();
      const other = await page.context().newPage();
      await other.goto(`${new URL(page.url()).origin}/#/control-plane`);
      await other
        .getByRole('cell', { name: `127.0.0.1:${replicas[0]!.port}`, exact: true })
        .first()
        .waitFor();
      await replicas[0]!.kill();
      await other.getByText('does not answer').waitFor();
      await other.getByText('ready', { exact: true }).waitFor();
      await configMaps.create({ metadata: { name: 'after', namespace: 'default' } });
      await page.getByRole('gridcell', { name: 'after' }).waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      assert.deepEqual(await barriers(other), []);
    });
  });
