import type { Comparison } from './comparison.ts';

const pod = (name: string, spec: string, more = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {app: a}, annotations: {m: o}}\nspec:\n${spec}${more}`;
const given = `${pod(
  'p',
  `  nodeName: open
  volumes: [{name: v, emptyDir: {}}]
  initContainers: [{name: first, image: i}]
  containers:
  - name: one
    image: i
    command: [a]
    args: [b]
    env: [{name: X, value: w}]
    livenessProbe: {httpGet: {path: /, port: 80}}
    readinessProbe: {httpGet: {path: /, port: 80}}
    startupProbe: {httpGet: {path: /, port: 80}}
    securityContext: {runAsUser: 5, capabilities: {add: [A]}}
  - {name: two, image: j}
`,
)}`;
const before = ['create sa default', 'apply -f -'];
/** A status in which the container runs or has ended, before `debug` adds it. */
const state = (what: object) =>
  `patch pod p --subresource=status --type=merge -p '${JSON.stringify({
    status: {
      phase: 'Running',
      ephemeralContainerStatuses: [
        { name: 'd', image: 'x', imageID: '', ready: true, restartCount: 0, started: true, state: what },
      ],
    },
  })}'`;
const profiles = ['general', 'baseline', 'restricted', 'netadmin', 'sysadmin'];

/** Lines that change objects, and the state after them. */
const doing = [
  ...profiles.flatMap((profile) => [
    `debug p --image=x -c d --profile=${profile}`,
    `debug p -c one --copy-to=q --profile=${profile} --image=x`,
    `debug node/open --image=x --profile=${profile}`,
  ]),
  'debug p --image=x',
  'debug p --image=x --profile=general -- sh -c a',
  'debug p --image=x --profile=general --arguments-only -- sh -c a',
  'debug p --image=x --profile=general --env=A=b',
  'debug p --image=x --profile=general --env=A=b --env=A=c=d',
  'debug p --image=x --profile=general --target=one',
  'debug p --image=x --profile=general --target=nope',
  'debug p --image=x --profile=general -c one',
  'debug p --image=x --profile=general -it --attach=false',
  'debug pods/p p --image=x -q',
  'debug p nope --image=x -c d',
  'debug p --copy-to=q --image=x --same-node',
  'debug p --copy-to=q --image=x --replace',
  'debug p --copy-to=q --image=x --share-processes=false --profile=general',
  'debug p --copy-to=q --set-image=*=y,one=z',
  'debug p --copy-to=q --set-image=one=z --image=x -c d',
  'debug p --copy-to=q -c one -- sh',
  'debug p --copy-to=q -c one --arguments-only -- sh',
  'debug p --copy-to=q -c first --profile=general --image=x --keep-init-containers=false',
  'debug p --copy-to=q -c one -i --attach=false --image=x --image-pull-policy=Always',
  'debug p --copy-to=q --image=x --profile=general --keep-labels --keep-annotations',
  'debug p --copy-to=q --image=x --profile=general --keep-liveness --keep-readiness --keep-startup',
  'debug p --copy-to=q --image=x --profile=general --keep-init-containers=false',
  'debug node/open --image=x --arguments-only --env=A=b -- sh',
];

/** Lines that only print an error. */
const mistakes = [
  'debug',
  'debug p',
  'debug p -n one --image=x --profile=foo',
  'debug --image=x',
  'debug nope -n one --image=x',
  'debug nope -n nowhere --image=x',
  'debug deploy/web -n one --image=x',
  'debug cm/a -n one --image=x',
  'debug foo/a -n one --image=x',
  'debug node/nope --image=x',
  'debug nodes/open/x --image=x',
  'debug p1 -n one --copy-to=p1 --image=x -q',
  'debug p1 -n one --image=x -c A_',
  'debug p1 -n one --image=X:y:z',
  'debug p1 -n one --image=foo/bar@sha256:x',
  'debug p1 -n one --attach',
  'debug p1 -n one --attach --copy-to=q',
  'debug p1 -n one --copy-to=q',
  'debug p1 -n one --copy-to=q -- sh',
  'debug p1 -n one --replace --image=x',
  'debug p1 -n one --same-node --image=x',
  'debug p1 -n one --set-image=a=b --image=x',
  'debug p1 -n one --set-image=a --image=x',
  'debug p1 -n one --set-image=a=B: --copy-to=q',
  'debug p1 -n one --env=a --image=x',
  'debug p1 -n one --env=a=b,c,d=e --image=x',
  'debug p1 -n one --image-pull-policy=foo --image=x',
  'debug p1 -n one --target=p1 --copy-to=q --image=x',
  'debug p1 -n one -t --image=x',
  'debug p1 -n one --target=p1 -t --image=x',
  'debug p1 -n one --custom=nope.json --image=x',
  'debug p1 -n one --custom=/tmp --image=x',
  'debug -f nope.yaml --image=x',
  'debug -f - p1 --image=x',
];

export const debugLines: readonly Comparison[] = [
  ...doing.map((line) => ({ line, before, given, after: 'get pods -o yaml' })),
  ...mistakes.map((line) => ({ line })),
  { line: 'debug -f - --image=x -c d', input: given, before, given, after: 'get pods -o yaml' },
  ...[{ running: { startedAt: '2026-01-01T00:00:00Z' } }, { terminated: { exitCode: 3 } }].map((what) => ({
    line: 'debug p --image=x -c d -i --profile=general',
    input: 'a line\n',
    before: [...before, state(what)],
    given: given.replace('nodeName: open', 'nodeName: alive'),
  })),
  {
    line: 'debug -f - --image=x -c d',
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n',
    before,
    given,
  },
];
