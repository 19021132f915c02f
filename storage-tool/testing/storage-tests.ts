import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { programToTest } from '#scripts/programs.ts';
import { startReplica, type TestReplica, testNaming } from '#server/testing/replica.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { keptData } from '#storage-etcd/testing/kept-data.ts';
import { run } from '../run.ts';

const KEYS = [1, 2].map((n) => Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5 + n)).toString('base64'));
/** The value in the Secret of the tests. Commands must not show it. */
export const SECRET = 'the value of a secret, which no command shows';

/** An EncryptionConfiguration that encrypts Secrets with these keys. The first key encrypts, and all keys decrypt. */
export function configuration(...numbers: number[]): string {
  const keys = numbers.map((n) => `      - {name: key${n}, secret: ${KEYS[n - 1]}}\n`);
  const apiVersion = testNaming.apiVersion('apiserver.config', 'v1');
  return `apiVersion: ${apiVersion}\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n  - aesgcm:\n      keys:\n${keys.join('')}  - identity: {}\n`;
}

/** The result of a command of orch-storage: its exit code and its output on both streams. */
export interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

/** An etcd that a replica has filled, and ways to run orch-storage against it. */
export interface StorageTests {
  /** The folder of the present test. */
  readonly folder: string;
  /** The EncryptionConfiguration of the replica, in {@link folder}. */
  readonly file: string;
  readonly etcd: EtcdProcess;
  /** The values in the form in which etcd has them. */
  readonly raw: DataStore;
  /** Runs a command in this process. */
  readonly tool: (...words: string[]) => Promise<Outcome>;
  /** Runs a command with the built program. This program can start a server of the same build. */
  readonly built: (...words: string[]) => Promise<Outcome>;
  /** Changes the value of a key, which is relative to the prefix. Undefined deletes it. */
  readonly put: (key: string, change: (text: string) => string | undefined) => Promise<void>;
  /** The value of a key, which is relative to the prefix. */
  readonly textOf: (key: string) => Promise<string>;
}

/**
 * Gives each test of a suite an etcd with the same objects. It also checks after each test that no command has shown
 * {@link SECRET}.
 */
export function storageTests(): StorageTests {
  let folder: string;
  let file: string;
  let etcd: EtcdProcess;
  let raw: DataStore;
  let written = '';
  /** The content of etcd at the start of each test. */
  let data: string;

  before(async () => {
    const first = mkdtempSync(path.join(tmpdir(), 'storage-tool-'));
    const providers = path.join(first, 'encryption.yaml');
    writeFileSync(providers, configuration(1));
    const filled = await EtcdProcess.start();
    const replica = await startReplica(filled.endpoint, `--encryption-provider-config=${providers}`);
    try {
      await fill(replica);
    } finally {
      await replica.stop();
      data = await keptData(filled);
      rmSync(first, { recursive: true });
    }
  });

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'storage-tool-'));
    file = path.join(folder, 'encryption.yaml');
    writeFileSync(file, configuration(1));
    etcd = await EtcdProcess.start({ data });
    raw = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  afterEach(async () => {
    assert.equal(written.includes(SECRET), false);
    assert.equal(written.includes(Buffer.from(SECRET).toString('base64')), false);
    written = '';
    await raw.close();
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  async function fill(replica: TestReplica): Promise<void> {
    const made: readonly [target: string, body: object][] = [
      ['/api/v1/namespaces/default/configmaps', { metadata: { name: 'one' }, data: { a: 'b' } }],
      ['/api/v1/namespaces/default/configmaps', { metadata: { name: 'two' } }],
      ['/api/v1/namespaces/default/secrets', { metadata: { name: 'one' }, stringData: { it: SECRET } }],
      [
        '/api/v1/namespaces/default/services',
        { metadata: { name: 'one' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      ],
      ['/api/v1/namespaces/default/services', { metadata: { name: 'two' }, spec: { ports: [{ port: 80 }] } }],
      [
        '/apis/apiextensions.orch.io/v1/customresourcedefinitions',
        {
          metadata: { name: 'widgets.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: 'widgets', kind: 'Widget' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
      ],
    ];
    for (const [target, body] of made) {
      const answer = await replica.call('POST', target, { body });
      assert.equal(answer.status, 201, answer.text);
    }
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } };
    const giveUpAt = Date.now() + 30_000;
    while ((await replica.call('POST', widgets, { body })).status !== 201) assert.ok(Date.now() < giveUpAt);
  }

  /** Runs a command; resolves to its code and its output. */
  async function tool(...words: string[]): Promise<{ code: number; text: string; errors: string }> {
    let text = '';
    let errors = '';
    const server = `--etcd-servers=${etcd.endpoint}`;
    const code = await run([server, `--encryption-provider-config=${file}`, ...words], {
      out: { write: (some: string) => (text += some) },
      err: { write: (some: string) => (errors += some) },
    });
    written += text + errors;
    return { code, text, errors };
  }

  /** Like {@link tool}, with the built program. It starts a server of the same build. */
  async function built(...words: string[]): Promise<{ code: number; text: string; errors: string }> {
    const { main, environment } = programToTest('storage/main');
    const args = [main, `--etcd-servers=${etcd.endpoint}`, `--encryption-provider-config=${file}`, ...words];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    const closed = once(child, 'close');
    const [text, errors] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
    const [code] = (await closed) as [number];
    written += text + errors;
    return { code, text, errors };
  }

  async function put(key: string, change: (text: string) => string | undefined): Promise<void> {
    const absolute = `/registry/${key}`;
    const found = await raw.get(absolute);
    const value = change(found?.value.toString() ?? '');
    const write = value === undefined ? { key: absolute } : { key: absolute, value: Buffer.from(value) };
    const done = await raw.transact([{ key: absolute, revision: found?.revision ?? 0 }], [write]);
    assert.equal(done.outcome, 'written');
  }

  async function textOf(key: string): Promise<string> {
    return (await raw.get(`/registry/${key}`))!.value.toString();
  }

  return {
    get folder() {
      return folder;
    },
    get file() {
      return file;
    },
    get etcd() {
      return etcd;
    },
    get raw() {
      return raw;
    },
    tool,
    built,
    put,
    textOf,
  };
}
