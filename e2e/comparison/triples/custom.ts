import { JsonNumber, type JsonObject } from '#base/json/json-value.ts';
import { object, type Triple } from './triple.ts';

const thing = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  object('example.com/v1', 'Free', { spec }, metadata);

/** Kinds that users define, which merge patches change. */
export const customTriples: readonly Triple[] = [
  {
    what: 'custom: fields beside those of others',
    file: thing({ a: 1, b: { c: 1, d: 1 } }),
    change: { spec: { x: 'others', b: { x: 'others' } } },
    next: thing({ a: 2, b: { c: 1 } }),
  },
  {
    what: 'custom: lists are replaced',
    file: thing({ list: [{ name: 'a' }, { name: 'b' }] }),
    change: { spec: { list: [{ name: 'others' }] } },
    next: thing({ list: [{ name: 'b' }, { name: 'a' }] }),
  },
  {
    what: 'custom: finalizers are replaced',
    file: thing({}, { finalizers: ['example.com/a'] }),
    change: { metadata: { finalizers: ['example.com/a', 'example.com/x'] } },
    next: thing({}, { finalizers: ['example.com/b'] }),
  },
  { what: 'custom: another type', file: thing({ a: { b: 1 }, c: [1] }), next: thing({ a: 'text', c: { d: 1 } }) },
  {
    what: 'custom: long numbers',
    file: thing({ a: 1 }),
    next: thing({ a: 1.5, b: new JsonNumber('4611686018427387905') }),
  },
  {
    what: 'custom: null that takes away',
    file: thing({ a: 1, b: 1 }),
    change: { spec: { x: 1 } },
    next: thing({ a: 1, b: null, x: null }),
  },
  {
    what: 'custom: null of what others set again',
    file: thing({ a: 1, b: null }),
    change: { spec: { b: 'others' } },
    next: thing({ a: 1, b: null }),
  },
  {
    what: 'custom: dropped as a whole',
    file: thing({ a: { b: 1 } }),
    change: { spec: { a: { x: 1 } } },
    next: thing({}),
  },
];
/** The definition of that kind. */
export const freeDefinition: JsonObject = {
  ...{
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'frees.example.com' },
  },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'frees', kind: 'Free' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
