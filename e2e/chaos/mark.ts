import { setTimeout as sleep } from 'node:timers/promises';
import { collections, colors, pathOf, prefixOf } from './collections.ts';
import type { WorkerContext } from './workload.ts';

/** Writes to every scope that a client may watch. Resolves to the revision of the first of these changes. */
export async function mark({ client, ports, journal }: WorkerContext): Promise<number> {
  let first = Number.POSITIVE_INFINITY;
  for (const collection of collections) {
    for (const color of colors) {
      for (let attempt = 0; ; attempt++) {
        const id = journal.nextId();
        const name = `last-${color}-${attempt}`;
        const { namespace } = collection;
        const metadata = { name, namespace, labels: { id, color } };
        const body = { metadata, ...collection.body(namespace, name) };
        const asked = { kind: 'write', by: 'setup', verb: 'create', key: prefixOf(collection) + name, id } as const;
        const answer = await client.call(ports[0]!, 'POST', pathOf(collection), body).catch(() => undefined);
        if (answer?.status === 201) {
          const { called, returned } = answer;
          const revision = Number(answer.body.metadata.resourceVersion);
          journal.record({ ...asked, called, returned, outcome: { kind: 'done', revision } });
          first = Math.min(first, revision);
          break;
        }
        if (attempt === 20)
          throw new Error(`the system does not recover: ${answer?.status} ${JSON.stringify(answer?.body)}`);
        const now = performance.now();
        journal.record({ ...asked, called: now - 10_000, returned: now, outcome: { kind: 'unknown' } });
        await sleep(500);
      }
    }
  }
  return first;
}
