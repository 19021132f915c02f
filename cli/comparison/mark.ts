import type { Comparison } from './comparison.ts';

const made = ['create cm m --from-literal=a=b', 'create cm n', 'label cm m x=y', 'annotate cm m d=e'];

/** Labels and annotations. */
export const markLines: readonly Comparison[] = [
  'label cm m q=r',
  'label cm m x=y',
  'label cm m x=z',
  'label cm m x=z --overwrite',
  'label cm m x-',
  'label cm m nope-',
  'label cm m x- k=v',
  'label cm m',
  'label cm',
  'label',
  'label cm nope a=b',
  'label cm m n q=r -o name',
  'label cm --all s=t',
  "label cm m 'bad key=x'",
  'label cm m k=',
  'label cm m a=b a-',
  'label cm m --list',
  'label cm m x=1 --overwrite --dry-run=client -o yaml',
  'label cm m q=1 --dry-run=server',
  'label cm m q=1 --resource-version=1',
  'label cm m -l x=y z=1',
  'label cm -l x=y z=1',
  'label cm z=1',
  'annotate cm m q=r',
  'annotate cm m d=f',
  'annotate cm m d=f --overwrite',
  'annotate cm m d-',
  'annotate cm m nope-',
  'annotate cm m --list',
  'annotate cm m',
  'annotate cm/m cm/n a=b',
].map((line) => ({ line, before: made }));

/** An object with a name, and one without. */
const nameless =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n';

/** What files do not name stands for nothing. */
export const namelessLines: readonly Comparison[] = [
  'delete -f -',
  'delete -f - --dry-run=client',
  'get -f - -o name',
  'describe -f -',
  'label -f - q=r',
  'label -f - --list',
  'apply -f -',
  'apply -f - --server-side',
  'wait -f - --for=delete --timeout=100ms',
  'delete cm ..',
  'delete cm "" m',
  'get cm,secret m',
].map((line) => ({ line, input: nameless, before: made }));

/** Deletions. */
export const deleteLines: readonly Comparison[] = [
  'delete cm m',
  'delete cm nope',
  'delete cm nope --ignore-not-found',
  'delete cm m n --dry-run=client',
  'delete cm m n --dry-run=server -o name',
  'delete cm m n -o name',
  'delete cm/m cm/nope',
  'delete cm',
  'delete',
  'delete cm -l x=y',
  'delete cm -l x=nope',
  'delete cm --all --dry-run=client',
  'delete cm m --all',
  'delete cm m -l x=y',
  'delete foo a',
  'delete cm m --cascade=foo',
  'delete cm m --cascade=false --dry-run=client',
  'delete cm m --force',
  'delete cm m --force --dry-run=client',
  'delete cm m --now --grace-period=3',
  'delete cm m --force --grace-period=3',
  'delete cm m --grace-period=0',
  'delete cm m -o yaml',
  'delete cm m --timeout=x',
  'delete cm m --wait=false',
  'delete -f nope.yaml',
  'delete --raw /api/v1/namespaces/one/configmaps/nope',
].map((line) => ({ line, before: made }));
