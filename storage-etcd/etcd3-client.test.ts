import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EtcdProcess } from './testing/etcd-process.ts';

/** Uses a store in a process of its own, and says whether etcd3 and grpc-js are loaded before and after it compacts. */
const program = `
  import { createRequire } from 'node:module';
  const { cache } = createRequire(import.meta.url);
  const loaded = () => ['etcd3', '@grpc/grpc-js'].filter((name) =>
    Object.keys(cache).some((file) => file.includes('/node_modules/' + name + '/')));
  const [endpoint, module] = process.argv.slice(1);
  const { createEtcdStore } = await import(module);
  const store = createEtcdStore({ endpoints: [endpoint] });
  const { revision } = await store.create('/registry/a', Buffer.from('1'), 60);
  for await (const batch of store.feed('/registry/', revision - 1, { signal: AbortSignal.timeout(5_000) })) break;
  await store.databaseSizes();
  const before = loaded();
  await store.compact(revision);
  console.log(JSON.stringify({ before, after: loaded() }));
  await store.close();
`;

describe('etcd3', () => {
  it('is loaded when a store compacts, and not by all else', async () => {
    const etcd = await EtcdProcess.start();
    try {
      const module = import.meta.resolve('./etcd-store.ts');
      const args = ['--input-type=module', '-e', program, etcd.endpoint, module];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      assert.deepEqual(JSON.parse(stdout), { before: [], after: ['etcd3', '@grpc/grpc-js'] });
    } finally {
      await etcd.stop();
    }
  });
});
