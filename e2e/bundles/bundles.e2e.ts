import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { runLine } from '#cli/testing/run-line.ts';
import { type ConversionWebhook, startConversionWebhook } from '#e2e/conversion-webhook.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import type { Bundle } from './bundle.ts';
import { definitionBundles } from './definitions.ts';
import { policyBundles } from './policies.ts';
import { workloadBundles } from './workloads.ts';

const FLAGS = ['--emulated-version=1.37', '--disable-admission-plugins=ServiceAccount'];

/** The parts of a value that another value lacks. The other value may have more entries in its maps. */
function missing(wanted: JsonValue, found: JsonValue | undefined, at = ''): string[] {
  if (isObject(wanted) && found !== undefined && isObject(found))
    return Object.entries(wanted).flatMap(([key, value]) =>
      missing(value!, Object.hasOwn(found, key) ? found[key] : undefined, `${at}.${key}`),
    );
  if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length)
    return wanted.flatMap((value, index) => missing(value, found[index], `${at}[${index}]`));
  return JSON.stringify(wanted) === JSON.stringify(found)
    ? []
    : [`${at}: ${JSON.stringify(wanted)} is now ${JSON.stringify(found)}`];
}

describe('manifest bundles of large projects', function () {
  this.timeout(120_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let webhook: ConversionWebhook;
  let home: string;
  let bundles: readonly Bundle[];
  const resources = new Map<string, { readonly plural: string; readonly namespaced: boolean }>();

  before(async () => {
    const pki = testPki();
    [etcd, webhook] = await Promise.all([startBootstrappedEtcd(), startConversionWebhook(pki)]);
    replica = await startReplica(etcd.endpoint, ...FLAGS);
    home = mkdtempSync(path.join(tmpdir(), 'bundles-'));
    writeConnectionFile(path.join(home, 'admin.conf'), 'admin', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    bundles = [...definitionBundles(testNaming, webhook), ...workloadBundles(testNaming), ...policyBundles(testNaming)];
  });
  after(async () => {
    if (home !== undefined) rmSync(home, { recursive: true });
    await replica?.stop();
    await webhook?.stop();
    await etcd?.stop();
  });

  /** The path of an object, from discovery. */
  async function pathOf({ apiVersion, kind, metadata }: JsonObject): Promise<string> {
    const root = String(apiVersion).includes('/') ? `/apis/${String(apiVersion)}` : `/api/${String(apiVersion)}`;
    const key = `${root} ${String(kind)}`;
    if (!resources.has(key)) {
      const { json, text } = await replica.call('GET', root);
      const found = (json?.resources ?? []).find(
        (each: { name: string; kind: string }) => each.kind === kind && !each.name.includes('/'),
      );
      assert.ok(found, `${root} has no ${String(kind)}: ${text.slice(0, 200)}`);
      resources.set(key, { plural: found.name, namespaced: found.namespaced });
    }
    const { plural, namespaced } = resources.get(key)!;
    const { name } = metadata as { name: string };
    return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}/${name}`;
  }

  /** Applies an object with server-side apply. */
  async function applyOnServer(object: JsonObject): Promise<void> {
    const target = `${await pathOf(object)}?fieldManager=bundles&fieldValidation=Strict&force=true`;
    const headers = { 'Content-Type': 'application/apply-patch+yaml' };
    const { status, text, headers: answered } = await replica.call('PATCH', target, { headers, body: object });
    assert.ok(status === 200 || status === 201, `${target}: ${text}`);
    assert.deepEqual(warningsOf(answered['warning']), []);
  }

  /** Applies the objects of a bundle with client-side apply. */
  async function applyByClient({ objects }: Bundle): Promise<void> {
    for (const object of objects) {
      const line = ['apply', '-f', '-', '--validate=strict'];
      const env = { ORCHCONFIG: path.join(home, 'admin.conf') };
      const { stderr, code } = await runLine(line, { home, env, input: JSON.stringify(object) });
      assert.deepEqual([warningsOf(stderr), code], [[], 0]);
    }
  }

  async function check({ objects }: Bundle): Promise<void> {
    for (const object of objects) {
      const { json, status, text } = await replica.call('GET', await pathOf(object));
      assert.equal(status, 200, text);
      assert.deepEqual(missing(object, json), []);
    }
  }

  it('include at least thirty bundles, one of them with 300 KB of schemas', () => {
    assert.ok(bundles.length >= 30, `${bundles.length}`);
    const sizes = bundles.map(({ objects }) => JSON.stringify(objects).length);
    assert.ok(Math.max(...sizes) >= 300_000, `${Math.max(...sizes)}`);
  });

  it('are applied strictly, by server-side and client-side apply, and no field is dropped', async () => {
    const wrong: string[] = [];
    for (const [index, bundle] of bundles.entries()) {
      const byServer = async () => {
        for (const object of bundle.objects) await applyOnServer(object);
      };
      const byClient = () => applyByClient(bundle);
      const ways = bundle.isLarge
        ? [byServer, byServer]
        : index % 2 === 0
          ? [byServer, byClient]
          : [byClient, byServer];
      try {
        for (const apply of ways) {
          await apply();
          await check(bundle);
        }
      } catch (error) {
        wrong.push(`${bundle.name}: ${(error as Error).message}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('are refused if a field is misspelt', async () => {
    for (const object of [bundles[0]!.objects[0]!, bundles.at(-1)!.objects[0]!]) {
      const target = `${await pathOf(object)}?fieldManager=bundles&fieldValidation=Strict&force=true`;
      const headers = { 'Content-Type': 'application/apply-patch+yaml' };
      const body = { ...object, spek: {} };
      assert.ok((await replica.call('PATCH', target, { headers, body })).status >= 400);
    }
  });
});

/** All warnings except those about an old version or an annotation. */
function warningsOf(said: string | string[] | undefined): string[] {
  return [said ?? []]
    .flat()
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '' && !/use v1|last-applied-configuration/.test(line));
}
