import type { Comparison } from './comparison.ts';

/** cluster-info dump; cluster-info itself is among the lines of the frame. */
export const dumpLines: readonly Comparison[] = [
  'cluster-info dump --namespaces=streams',
  'cluster-info dump --namespaces=streams -o yaml',
  'cluster-info dump --output-directory=- -n streams',
  'cluster-info dump --namespaces=streams,nowhere -o jsonpath=\'{.kind}{.items[*].metadata.name}{"\\n"}\'',
  'cluster-info dump --namespaces=one,nowhere',
  'cluster-info dump --namespaces=one -o name',
  'cluster-info dump --namespaces=one -o foo',
].map((line) => ({ line }));
