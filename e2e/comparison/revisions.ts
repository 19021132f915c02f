import type { Comparison } from './comparison.ts';

const each = ['deploy/deployment', 'ds/daemonset', 'sts/statefulset'].flatMap((one) => [
  `rollout history ${one}`,
  `rollout history ${one} --revision=1`,
  `rollout history ${one} --revision=3`,
  `rollout history ${one} --revision=-1`,
  `rollout history ${one} --revision=1 -o yaml`,
  `rollout history ${one} --revision=2 -o json`,
  `rollout history ${one} -o name`,
  `rollout undo ${one} --dry-run=client`,
  `rollout undo ${one} --dry-run=server`,
  `rollout undo ${one} --to-revision=1 --dry-run=client -o yaml`,
  `rollout undo ${one} --to-revision=2 --dry-run=client`,
  `rollout undo ${one} --to-revision=2 --dry-run=server`,
  `rollout undo ${one} --to-revision=9 --dry-run=client`,
  `rollout status ${one} --watch=false`,
  `rollout status ${one} --revision=7 --watch=false`,
]);

/** Rollouts of kinds with revisions. */
export const revisionLines: readonly Comparison[] = [
  ...each,
  'rollout history deploy',
  'rollout history deploy,ds,sts',
  'rollout history cm/x',
  'rollout history rs/deployment-1',
  'rollout history deploy -l app=nope',
  'rollout history deploy/deployment -o bogus',
  'rollout history deploy deployment --revision=x',
  'rollout status rs/deployment-1',
  'rollout status -f /nope',
  'rollout status deploy -l app=nope',
  'rollout status deploy/deployment --timeout=x',
  'rollout undo rs/deployment-1',
  'rollout undo deploy/deployment --to-revision=-1',
  'rollout pause rs/deployment-1',
  'rollout pause ds/daemonset',
  'rollout resume ds/daemonset',
  'rollout restart rs/deployment-1',
  'rollout foo',
].map((line) => ({ line: `${line} -n roll` }));

/** The resource usage of pods and nodes. */
export const topLines: readonly Comparison[] = [
  ...[
    'top pod -n one',
    'top pod p1 -n one',
    'top pod -A',
    'top pods --containers -n one',
    'top pod --sum -n one',
    'top pod --sum --containers -A',
    'top po --sort-by=cpu -n one',
    'top pod --sort-by=memory -n one --no-headers',
    'top pod --containers -n one --sort-by=memory',
    'top pod nope -n one',
    'top pod -n roll',
    'top pod -l q=r -A',
    'top node open',
    'top node nope',
    'top node -l a=b',
  ].map((line) => ({ line: `${line} --use-protocol-buffers=false` })),
  // Nodes without a known revision come last, in the order of a map.
  ...['top node', 'top nodes --sort-by=cpu', 'top node --show-capacity', 'top no --no-headers'].map((line) => ({
    line: `${line} --use-protocol-buffers=false`,
    anyOrder: true,
  })),
  ...['top foo', 'top pod a b', 'top pod x -l a=b', 'top node x -l a=b', 'top node --sort-by=x'].map((line) => ({
    line,
  })),
];
