import { LocalCluster } from './local-cluster.ts';
import { freePort } from './processes.ts';

// Runs one replica from its sources in this process, so that a debugger can stop in them. The etcd, the certificates,
// the flags and the data are those of `make run`. While `make run` runs too, this is a third replica on the same etcd
// (ETCD_SERVERS=http://127.0.0.1:12379). Ctrl-C ends the replica and the etcd that was started.

const cluster = new LocalCluster(process.env);
await cluster.startEtcd();
const port = await freePort(Number(process.env['PORTS']?.split(',')[0] ?? 6443));
console.log(`The replica is going to serve https://127.0.0.1:${port}; ${cluster.writeAdminConnection(port)} connects.`);
process.argv.splice(2, process.argv.length, ...cluster.replicaFlags(port));
await import('#server/main.ts');
