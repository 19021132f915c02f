import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { isNotFound } from '#client/errors.ts';
import { apiregistrationV1, coreV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type RunningExtensionServer, startExtensionServer } from '../extension-server/extension-server.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

const GROUP = 'shelf.example.com';
const TYPE: ResourceType = { group: GROUP, version: 'v1', plural: 'books', kind: 'Book', namespaced: true };

describe('a kind of an extension server in the console', function () {
  this.timeout(180_000);
  const pki = temporaryPki();
  const stage = new ConsoleStage();
  let etcd: EtcdProcess;
  let replica: Replica;
  let extension: RunningExtensionServer;

  before(async () => {
    etcd = await EtcdProcess.start();
    const [cert, key] = [pki.file('front-proxy.crt'), pki.file('front-proxy.key')];
    const flags = [`--proxy-client-cert-file=${cert}`, `--proxy-client-key-file=${key}`];
    replica = await startReplica(pki, etcd.endpoint, { flags });
    writeConnectionFile(stage.connection, 'orch', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    await stage.startOn();
    const authority = makeAuthority('shelf-ca');
    const hosts = ['shelf.default.svc'];
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'shelf']], by: authority, hosts, usages: [SERVER_AUTH] });
    const [certFile, keyFile] = [pki.file('shelf.crt'), pki.file('shelf.key')];
    writeFileSync(certFile, pem);
    writeFileSync(keyFile, keyPem, { mode: 0o600 });
    extension = await startExtensionServer({ group: GROUP, connectionFile: stage.connection, certFile, keyFile });
    const { client } = stage;
    await client
      .resource(coreV1.services)
      .in('default')
      .create({ metadata: { name: 'shelf' }, spec: { type: 'ExternalName', externalName: 'localhost' } });
    await client.resource(apiregistrationV1.apiservices).create({
      metadata: { name: `v1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        caBundle: Buffer.from(authority.pem).toString('base64'),
        service: { namespace: 'default', name: 'shelf', port: extension.port },
      },
    });
    const books = client.resource(TYPE).in('default');
    const book = { metadata: { name: 'one', namespace: 'default' }, spec: { title: 'One', pages: 100 } };
    await waitUntil('that books are served', () =>
      books.create(book).then(
        () => true,
        (error) => !isNotFound(error) && error?.code !== 503,
      ),
    );
    await books.get('one');
  });

  after(async () => {
    await stage.end();
    await extension?.stop();
    await replica?.stop();
    await etcd?.stop();
  });

  it('is listed, read, edited and deleted like a built-in one', async () => {
    const books = stage.client.resource(TYPE).in('default');
    const complaints: string[] = [];
    const page = await stage.page(await stage.console('--write'), complaints);
    await page.getByRole('navigation').getByRole('button', { name: 'books', exact: true }).click();
    await page.getByRole('gridcell', { name: 'one', exact: true }).waitFor();
    await books.create({ metadata: { name: 'two', namespace: 'default' }, spec: { title: 'Two', pages: 2 } } as never);
    await page.getByRole('gridcell', { name: 'two', exact: true }).waitFor();
    assert.deepEqual(await barriers(page), []);

    await stage.open(page, `books.v1.${GROUP}`, 'default/one');
    await page.getByLabel('YAML of the object').locator('.cm-line', { hasText: 'pages: 100' }).click();
    await page.getByRole('heading', { name: /^pages/ }).waitFor();
    await stage.replaceLine(page, 'pages: 100', 'pages: 101');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.locator('.added', { hasText: 'pages: 101' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await waitUntil('that it is saved', async () => {
      const { spec } = (await books.get('one')) as unknown as { spec: { pages: number } };
      return spec.pages === 101;
    });
    assert.deepEqual(await barriers(page), []);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await waitUntil('that it is gone', () => books.get('one').then(() => false, isNotFound));
    assert.deepEqual(complaints, []);
  });
});
