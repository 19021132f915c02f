import type { Comparison } from './comparison.ts';

const before = ['create cm m --from-literal=a=b', 'create deploy web --image=nginx --replicas=0'];

/** Calls of `edit`, and wrong calls. The editor is `true`, which changes nothing, or `false`, which fails. */
export const editLines: readonly Comparison[] = [
  'edit',
  'edit foo',
  'edit cm nope',
  'edit cm m -o name',
  'edit cm m --dry-run=client',
].map((line) => ({ line, before }));

/** Calls with a kind that the command does not support, or with flags that exclude each other. */
export const misfitLines: readonly Comparison[] = [
  'rollout undo cm/m',
  'rollout history cm/m',
  'rollout undo cm/m --to-revision=1',
  'autoscale cm m --max=2',
  'set image deploy/web nginx=x --all',
  'set image deploy/web nginx=x -l a=b',
  'set env deploy/web A=b --all',
  'set env deploy/web --list --all',
  'replace -f - --force --dry-run=client',
  "patch cm m -p 'a: b: c'",
  "patch cm m --type= -p '{}'",
  'annotate cm m x=y x-',
  'annotate cm m x=y z=1 x- z-',
].map((line) => ({ line, before, input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: z}\n' }));

/** The answers of a user to the question whether to delete the object. */
export const answeredLines: readonly Comparison[] = ['y\n', 'Y\n', 'yes\n', 'n\n', '', 'x\ny\n'].map((input) => ({
  ...{ line: 'delete cm/m -i', before, input },
  after: 'get cm m -o name --ignore-not-found',
}));
