import { configMap, container, deployment, inContainer, type Triple } from './triple.ts';

/** Fields that a file sets to null. */
export const nullTriples: readonly Triple[] = [
  {
    what: 'null: data that others have added',
    file: configMap({ a: '1' }),
    change: { data: { x: 'y' } },
    next: configMap({ a: '1', x: null }),
  },
  { what: 'null: data that the file had', file: configMap({ a: '1', b: '1' }), next: configMap({ a: '1', b: null }) },
  { what: 'null: data in a new object', file: configMap({ a: '1', b: null }), next: configMap({ a: '1', b: null }) },
  {
    what: 'null: labels in a new object, which others set',
    file: configMap({}, { labels: { a: '1', b: null } }),
    change: { metadata: { labels: { b: 'others' } } },
    next: configMap({}, { labels: { a: '1', b: null } }),
  },
  { what: 'null: all data', file: configMap({ a: '1' }), change: { data: { x: 'y' } }, next: configMap(null) },
  {
    what: 'null: replicas that others have scaled',
    file: deployment({}),
    change: { spec: { replicas: 5 } },
    next: deployment({}, { replicas: null }),
  },
  {
    what: 'null: in an item of a list',
    file: container({ workingDir: '/a' }),
    change: inContainer({ tty: true }),
    next: container({ workingDir: null, tty: null }),
  },
  {
    what: 'null: in an item that is new',
    file: deployment({}),
    next: deployment({ volumes: [{ name: 'v', csi: { driver: 'd', volumeAttributes: { a: '1', b: null } } }] }),
  },
  {
    what: 'null: in a list that is replaced',
    file: deployment({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] }),
    next: deployment({ tolerations: [{ key: 'a', operator: 'Exists', effect: null }] }),
  },
  {
    what: 'null: in a map that is new',
    file: deployment({}),
    next: deployment({ nodeSelector: { a: '1', b: null } }),
  },
  {
    what: 'null: in a union',
    file: deployment({}),
    next: deployment({}, { strategy: { type: 'Recreate', rollingUpdate: null } }),
  },
];
