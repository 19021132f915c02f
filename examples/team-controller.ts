import { randomUUID } from 'node:crypto';
import {
  connect,
  isAlreadyExists,
  isNotFound,
  readConnection,
  SharedInformers,
  standForElection,
  WorkQueue,
} from '@orch/client';
import { coreV1 } from '@orch/client/kinds';

const TEAM = 'example.com/team';
const NAME = 'team';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort());

const client = await connect(readConnection(process.argv[2]!), { qps: 20, burst: 30 });
const informers = new SharedInformers(client, { onError: (what, error) => console.error(what, error) });
const namespaces = informers.of(coreV1.namespaces);
const maps = informers.of(coreV1.configmaps, { fields: ['data'] });
informers.start(stop.signal);

const lease = { namespace: 'default', name: 'team-controller', identity: randomUUID(), onError: console.error };
await standForElection(
  client,
  lease,
  async (leadership) => {
    await informers.ready();
    const written = client.guarded(() => leadership.check(), leadership.signal).resource(coreV1.configmaps);
    const queue = new WorkQueue({ workers: 4, onError: (key, error) => console.error(key, error) });

    const changed = (name: string | undefined) => name && queue.add(name);
    const ofMap = (map: { metadata: { name?: string; namespace?: string } }) =>
      map.metadata.name === NAME && changed(map.metadata.namespace);
    const { signal } = leadership;
    namespaces.on({ added: (n) => changed(n.metadata.name), updated: (n) => changed(n.metadata.name) }, signal);
    maps.on({ added: ofMap, updated: ofMap, deleted: ofMap }, signal);

    await queue.run(async (namespace) => {
      const { labels, deletionTimestamp } = namespaces.get(namespace)?.metadata ?? {};
      if (deletionTimestamp) return;
      const team = labels?.[TEAM];
      const map = maps.get(`${namespace}/${NAME}`);
      const { uid, resourceVersion } = map?.metadata ?? {};
      const own = written.in(namespace);
      if (team === undefined) {
        if (map === undefined) return;
        await own.delete(NAME, { preconditions: { uid, resourceVersion } }).catch(unless(isNotFound));
      } else if (map === undefined) {
        await own.create({ metadata: { name: NAME }, data: { team } }).catch(unless(isAlreadyExists));
      } else if (map.data?.['team'] !== team) {
        await own.patch(NAME, 'merge', { metadata: { uid, resourceVersion }, data: { team } });
      } else return;
      console.log(`${namespace}: ${team ?? 'no team'}`);
    }, signal);
  },
  stop.signal,
);
await client.close();

function unless(fine: (error: unknown) => boolean) {
  return (error: unknown): void => {
    if (!fine(error)) throw error;
  };
}
