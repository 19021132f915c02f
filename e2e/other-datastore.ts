import path from 'node:path';

// Loaded into each process of a replay of recordings (recordings.ts --datastore): a server that is started there with
// an etcd takes the store that OTHER_DATASTORE names in its place, in memory or in a file of its own.

const SERVER = path.join('dist', 'server', 'main.js');
const endpoint = process.env['OTHER_DATASTORE'] === 'file' ? `sqlite://${path.resolve('store')}` : 'memory:';

if (process.argv[1]?.endsWith(SERVER))
  process.argv = process.argv.map((word) =>
    word.startsWith('--etcd-servers=') ? `--datastore-endpoint=${endpoint}` : word,
  );
