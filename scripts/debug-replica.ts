import { LocalCluster } from './local-cluster.ts';
import { freePort } from './processes.ts';

// One replica from its sources, in the process of this script, so that a debugger stops in them: etcd, the certificates
// and the flags are those of `make run`, and so is the data. Where `make run` goes on beside it, the replica is a third
// one on the same etcd (ETCD_SERVERS=http://127.0.0.1:12379). Ctrl-C ends the replica and the etcd that was started.

const cluster = new LocalCluster(process.env);
await cluster.startEtcd();
const port = await freePort(Number(process.env['PORTS']?.split(',')[0] ?? 6443));
console.log(`The replica is going to serve https://127.0.0.1:${port}; ${cluster.writeAdminConnection(port)} connects.`);
process.argv.splice(2, process.argv.length, ...cluster.replicaFlags(port));
await import('#server/main.ts');
