import { randomUUID } from 'node:crypto';
import type { LimitRange } from '#schema/generated/core.v1.ts';
import type { Write } from '#storage/object-store.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';

const NAMESPACE = 'default';
const NAME = 'limits';

/**
 * Creates a limit range in the namespace `default` that gives pods without a processor request a tenth of a processor.
 * It is created only once, and a marker key records this. So an operator may change it, or delete it permanently.
 */
export async function ensureDefaultLimits(registry: Registry): Promise<void> {
  const { store, etcdPrefix, cache } = registry;
  const stored = registry.stored('', 'limitranges');
  const marker = `${etcdPrefix}/bootstrap:default-limits`;
  if ((await store.get(marker)) !== undefined) return;
  const key = `${stored.keyPrefix}${NAMESPACE}/${NAME}`;
  const range: LimitRange = {
    metadata: { name: NAME, namespace: NAMESPACE, uid: randomUUID(), creationTimestamp: timestamp() },
    spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m' } }] },
  };
  const mark: Write = { key: marker, value: Buffer.from('{}') };
  const value = await ownValue(registry, stored, undefined, range);
  const made = await store.transact(
    [
      { key: marker, revision: 0 },
      { key, revision: 0 },
    ],
    [mark, { key, value }],
  );
  if (made.outcome === 'written') {
    await cache.waitFor(made.revision, 1000);
    return;
  }
  // Another replica was faster, or the limit range was created before the server wrote markers.
  if (made.current[0] === undefined) await store.transact([{ key: marker, revision: 0 }], [mark]);
}
