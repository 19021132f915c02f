import type { Comparison } from './comparison.ts';

export const describeLines: readonly Comparison[] = [
  ...[
    'describe cm -n one a',
    'describe cm nope',
    'describe cm/a -n one',
    'describe cm -n one -l x=y',
    'describe cm -n empty',
    'describe foo',
    'describe',
    'describe flowschema exempt',
    'describe crd',
    'describe apiservice v1.apps',
  ].map((line) => ({ line })),
  // The keys are shown in the order of a map.
  ...['describe cm -n one c', 'describe cm a c -n one', 'describe cm -n one odd'].map((line) => ({
    line,
    anyOrder: true,
  })),
  ...['describe secret s', 'describe sa r', 'describe cm m', 'describe -f -'].map((line) => ({
    line,
    anyOrder: line === 'describe secret s',
    before: ['create secret generic s --from-literal=a=bcd --from-literal=long=xyzzy', 'create sa r', 'apply -f -'],
    given: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, annotations: {x: why}}\n',
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n',
  })),
];
