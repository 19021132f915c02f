import type { Comparison } from './comparison.ts';

export const describeLines: readonly Comparison[] = [
  ...[
    'describe cm -n one a',
    'describe cm -n one c',
    'describe cm nope',
    'describe cm/a -n one',
    'describe cm a c -n one',
    'describe cm -n one -l x=y',
    'describe cm -n empty',
    'describe foo',
    'describe',
    'describe flowschema exempt',
    'describe crd',
    'describe apiservice v1.apps',
  ].map((line) => ({ line })),
  { line: 'describe cm -n one odd', meant: 'keys are in order, not each time in another' },
];
