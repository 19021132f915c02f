// Typed custom objects. This example applies a gizmo, and reads its own write from a copy of all gizmos.
//
//   npx crd-to-types definition.yaml --output=gizmo-types.ts
//   node gizmo.ts CONNECTION-FILE
import { connect, OwnWrites, readConnection, SharedInformers } from '@orch/client';
import { gizmosV1 } from './gizmo-types.ts';

const client = await connect(readConnection(process.argv[2]!));
const stop = new AbortController();
const informers = new SharedInformers(client);
const copy = informers.of(gizmosV1, { fields: ['spec'] });
informers.start(stop.signal);
await informers.ready();

const writes = new OwnWrites();
const gizmos = client.remembering(writes).resource(gizmosV1).in('default');
const by = { fieldManager: 'gizmo-example', force: true };
await gizmos.apply({ metadata: { name: 'one' }, spec: { size: 3, color: 'red' } }, by);
// The copy is slightly behind the server. This waits until the copy contains the program's own write.
await writes.seenBy(copy, gizmosV1, AbortSignal.timeout(10_000));
console.log(`size ${copy.get('default/one')?.spec.size}, ${copy.get('default/one')?.spec.color}`);

await gizmos.patch('one', 'merge', { spec: { color: null, size: 4 } });
await writes.seenBy(copy, gizmosV1, AbortSignal.timeout(10_000));
console.log(`size ${copy.get('default/one')?.spec.size}, ${copy.get('default/one')?.spec.color ?? 'no colour'}`);

await gizmos.delete('one');
await writes.seenBy(copy, gizmosV1, AbortSignal.timeout(10_000));
console.log(`${copy.size} left`);
stop.abort();
await client.close();
