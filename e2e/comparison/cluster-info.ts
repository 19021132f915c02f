import type { Comparison } from './comparison.ts';

/** The command `cluster-info dump`. The table of general commands has `cluster-info` itself. */
export const dumpLines: readonly Comparison[] = [
  'cluster-info dump --namespaces=streams',
  'cluster-info dump --namespaces=streams -o yaml',
  'cluster-info dump --output-directory=- -n streams',
  'cluster-info dump --namespaces=streams,nowhere -o jsonpath=\'{.kind}{.items[*].metadata.name}{"\\n"}\'',
  'cluster-info dump --namespaces=one,nowhere',
  'cluster-info dump --namespaces=one -o name',
  'cluster-info dump --namespaces=one -o foo',
].map((line) => ({ line }));
