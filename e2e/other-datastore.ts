import path from 'node:path';

// Loaded into each process of a replay of recordings (recordings.ts --datastore). A server that is started with an etcd
// then uses the store that OTHER_DATASTORE names instead, which is in memory or in a separate file.

const SERVER = path.join('dist', 'server', 'main.js');
const endpoint = process.env['OTHER_DATASTORE'] === 'file' ? `sqlite://${path.resolve('store')}` : 'memory:';

if (process.argv[1]?.endsWith(SERVER))
  process.argv = process.argv.map((word) =>
    word.startsWith('--etcd-servers=') ? `--datastore-endpoint=${endpoint}` : word,
  );
