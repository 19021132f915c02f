const { globSync } = require('node:fs');

// What takes longest begins first, so that nothing goes on alone at the end.
const LONG = [
  'server/hostile-input.test.ts',
  'server/workers/workers.test.ts',
  'server/traces.test.ts',
  'storage/storage.test.ts',
  'server/encryption.test.ts',
  'controllers/manager/manager.test.ts',
  'client/streams/streams.test.ts',
  'server/partition.test.ts',
  'server/start-errors.test.ts',
  'server/reflector.test.ts',
  'server/http/write-watch.test.ts',
  'cli/output/bounded.test.ts',
  'server/stuck-readers.test.ts',
  'storage-etcd/lost-answer.test.ts',
  'server/restored-store.test.ts',
  'cli/commands/beyond.test.ts',
  'cli/kustomize/build.test.ts',
];

const ROOMS = ['server', 'client', 'controllers', 'storage-etcd', 'cli', 'storage', 'bench', 'scripts', 'e2e'];

const others = ROOMS.flatMap((room) => globSync(`${room}/**/*.test.ts`, { cwd: __dirname }).sort()).filter(
  (file) => !LONG.includes(file),
);

module.exports = {
  spec: [...LONG, ...others],
  timeout: 60_000,
  exit: true,
  // On machines of others, where it is asked for: several hundred tests start processes, and any of them may be held up.
  retries: process.env['RETRIES'] ?? 0,
  reporter: './scripts/second-tries-briefly.ts',
  require: ['./scripts/test-setup.ts'],
  parallel: true,
  jobs: 5,
};
