import type { JsonObject } from '#base/json/json-value.ts';
import { deployment, inPods, type Triple } from './triple.ts';

const strategy = (strategy?: JsonObject): JsonObject => deployment({}, strategy === undefined ? {} : { strategy });
const volume = (...volumes: readonly JsonObject[]): JsonObject => deployment({ volumes: [...volumes] });
const empty = { name: 'v', emptyDir: {} };
const ofMap = (name: string): JsonObject => ({ name: 'v', configMap: { name } });

/** Members of which only one may be set. The server removes its values of the other members when a new one is set. */
export const unionTriples: readonly Triple[] = [
  { what: 'strategy: none, then Recreate', file: strategy(), next: strategy({ type: 'Recreate' }) },
  {
    what: 'strategy: RollingUpdate, then Recreate',
    file: strategy({ type: 'RollingUpdate' }),
    next: strategy({ type: 'Recreate' }),
  },
  {
    what: 'strategy: with numbers, then Recreate',
    file: strategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } }),
    next: strategy({ type: 'Recreate' }),
  },
  {
    what: 'strategy: Recreate, then with numbers',
    file: strategy({ type: 'Recreate' }),
    next: strategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } }),
  },
  {
    what: 'strategy: others have changed the numbers that the file does not name',
    file: strategy({ type: 'RollingUpdate' }),
    change: { spec: { strategy: { rollingUpdate: { maxSurge: 7 } } } },
    next: strategy({ type: 'RollingUpdate' }),
  },
  { what: 'strategy: dropped', file: strategy({ type: 'Recreate' }), next: strategy() },
  { what: 'volumes: emptyDir becomes configMap', file: volume(empty), next: volume(ofMap('c')) },
  { what: 'volumes: without a source, then configMap', file: volume({ name: 'v' }), next: volume(ofMap('c')) },
  {
    what: 'volumes: configMap becomes projected, beside that of others',
    file: volume(ofMap('c')),
    change: inPods({ volumes: [{ name: 'x', emptyDir: {} }] }),
    next: volume({ name: 'v', projected: { sources: [{ configMap: { name: 'c' } }] } }),
  },
  {
    what: 'volumes: another map, and what others have set of the former one',
    file: volume(ofMap('c')),
    change: inPods({ volumes: [{ name: 'v', configMap: { optional: true } }] }),
    next: volume(ofMap('d')),
  },
  {
    what: 'volumes: another order',
    file: volume(empty, { name: 'w', emptyDir: {} }),
    next: volume({ name: 'w', emptyDir: {} }, empty),
  },
  { what: 'volumes: dropped', file: volume(empty, { name: 'w', emptyDir: {} }), next: volume(empty) },
];
