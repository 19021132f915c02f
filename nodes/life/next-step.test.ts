import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { ContainerStatus, Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { unpullableImages } from './image-pull.ts';
import { type Memory, nextStep, type Step } from './next-step.ts';
import { timeText } from './times.ts';

const naming = createNaming('orch');
const START = Date.parse('2026-01-01T00:00:00Z');

interface Wish {
  readonly annotations?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly owner?: string;
  readonly finalizers?: string[];
}

function makePod({ annotations = {}, spec = {}, owner, finalizers }: Wish = {}): Pod {
  const keys = Object.entries(annotations).map(([name, value]) => [naming.key(`simulate-${name}`), value]);
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: 'batch/v1', kind: owner, name: 'o', uid: 'o', controller: true }];
  return {
    metadata: {
      ...{ name: 'p', namespace: 'n', uid: 'u', annotations: Object.fromEntries(keys), ownerReferences },
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec: { nodeName: 'node-0', containers: [{ name: 'c', image: 'i' }], ...spec },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
  };
}

function stateOf({ state = {}, ready, restartCount }: ContainerStatus): string {
  const { running, terminated, waiting } = state;
  const text =
    running !== undefined
      ? ready
        ? 'ready'
        : 'running'
      : terminated !== undefined
        ? `${terminated.reason} ${terminated.exitCode}`
        : (waiting?.reason ?? '');
  return restartCount === 0 ? text : `${text}, restarted ${restartCount}`;
}

/** Simulates the life of a pod with its own clock, and records the changes of its status with their times. */
function live(pod: Pod, seconds: number, change: (pod: Pod, second: number) => void = () => {}): string[] {
  const lines: string[] = [];
  const startedAt = new Map<string, number>();
  const restarts = new Map<string, number>();
  let memory: Memory = {
    ...{ ip: '10.0.0.2', hostIp: '127.0.0.1', since: START, endingSince: undefined, startMs: 500, endMs: 200 },
    isUnpullable: unpullableImages(['*:404']),
    startedAt,
  };
  let current = pod;
  let now = START;
  const note = (text: string) => {
    const line = `${((now - START) / 1000).toFixed(1)} ${text}`;
    if (line !== lines.at(-1)) lines.push(line);
  };
  for (let i = 0; i < 200 && now <= START + seconds * 1000; i++) {
    change(current, (now - START) / 1000);
    const step: Step = nextStep(current, memory, now, naming);
    if ((current.metadata.deletionTimestamp ?? null) !== null && memory.endingSince === undefined)
      memory = { ...memory, endingSince: now };
    if (step.status !== undefined) {
      current = { ...current, status: step.status };
      const all = [...(step.status.initContainerStatuses ?? []), ...(step.status.containerStatuses ?? [])];
      for (const { name, state, restartCount } of all)
        if (state?.running === undefined) startedAt.delete(name);
        else if (!startedAt.has(name) || restarts.get(name) !== restartCount) {
          startedAt.set(name, now);
          restarts.set(name, restartCount);
        }
      const ready = step.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' ? ' Ready' : '';
      note(`${step.status.phase}${ready}: ${all.map(stateOf).join('; ')}`);
    }
    if (step.remove === true) {
      note('removed');
      return lines;
    }
    now = Math.max(now + 1, Math.min(step.nextAt ?? now + 1000, now + 1000));
  }
  return lines;
}

describe('a pod on a simulated node', () => {
  const cases: readonly (readonly [what: string, wish: Wish, seconds: number, lines: readonly string[]])[] = [
    ['runs', {}, 5, ['0.5 Running Ready: ready']],
    [
      'of a job succeeds immediately',
      { owner: 'Job', spec: { restartPolicy: 'Never' } },
      5,
      ['0.5 Running Ready: ready', '0.5 Succeeded: Completed 0'],
    ],
    [
      'of a job exits as its command says',
      {
        owner: 'Job',
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['sh', '-c', 'exit 3'] }] },
      },
      5,
      ['0.5 Running Ready: ready', '0.5 Failed: Error 3'],
    ],
    [
      'of a job sleeps as its command says',
      {
        owner: 'Job',
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['sleep'], args: ['2'] }] },
      },
      5,
      ['0.5 Running Ready: ready', '2.5 Succeeded: Completed 0'],
    ],
    [
      'of a job succeeds after a time',
      { owner: 'Job', annotations: { seconds: '3' }, spec: { restartPolicy: 'Never' } },
      9,
      ['0.5 Running Ready: ready', '3.5 Succeeded: Completed 0'],
    ],
    [
      'fails',
      { annotations: { seconds: '1', 'exit-code': '3' }, spec: { restartPolicy: 'Never' } },
      9,
      ['0.5 Running Ready: ready', '1.5 Failed: Error 3'],
    ],
    [
      'crashes repeatedly',
      { annotations: { seconds: '1', 'exit-code': '3' } },
      40,
      [
        '0.5 Running Ready: ready',
        '1.5 Running Ready: ready, restarted 1',
        '2.5 Running: CrashLoopBackOff, restarted 1',
        '12.0 Running Ready: ready, restarted 2',
        '13.0 Running: CrashLoopBackOff, restarted 2',
        '33.0 Running Ready: ready, restarted 3',
        '34.0 Running: CrashLoopBackOff, restarted 3',
      ],
    ],
    [
      'runs out of memory',
      { annotations: { 'oom-seconds': '2' }, spec: { restartPolicy: 'Never' } },
      9,
      ['0.5 Running Ready: ready', '2.5 Failed: OOMKilled 137'],
    ],
    [
      'is killed by its liveness probe',
      { annotations: { 'unhealthy-seconds': '2' } },
      4,
      ['0.5 Running Ready: ready', '2.5 Running Ready: ready, restarted 1'],
    ],
    [
      'has a pull error',
      { annotations: { 'pull-error': 'true' } },
      13,
      ['0.0 Pending: ErrImagePull', '2.0 Pending: ImagePullBackOff', '12.0 Pending: ErrImagePull'],
    ],
    [
      'has an image that does not exist',
      { spec: { containers: [{ name: 'c', image: 'web:404' }] } },
      3,
      ['0.0 Pending: ErrImagePull', '2.0 Pending: ImagePullBackOff'],
    ],
    [
      'has an invalid image name',
      { spec: { containers: [{ name: 'c', image: 'WEB' }] } },
      20,
      ['0.0 Pending: InvalidImageName'],
    ],
    [
      'is evicted by its node',
      { annotations: { 'evict-seconds': '2' } },
      5,
      ['0.5 Running Ready: ready', '2.0 Failed: Error 143'],
    ],
    [
      'starts slowly',
      { annotations: { 'start-seconds': '3' } },
      5,
      ['0.0 Pending: ContainerCreating', '3.0 Running Ready: ready'],
    ],
    [
      'becomes ready after a delay',
      { annotations: { 'ready-seconds': '2' } },
      5,
      ['0.5 Running: running', '2.5 Running Ready: ready'],
    ],
    [
      'is not ready while its readiness command fails',
      {
        spec: {
          containers: [{ name: 'c', image: 'i', readinessProbe: { exec: { command: ['sh', '-c', 'exit 2'] } } }],
        },
      },
      5,
      ['0.5 Running: running'],
    ],
    [
      'is killed when its liveness command has failed often enough',
      {
        spec: {
          ...{ restartPolicy: 'Never' },
          containers: [
            {
              ...{ name: 'c', image: 'i' },
              livenessProbe: { exec: { command: ['false'] }, periodSeconds: 2, failureThreshold: 2 },
            },
          ],
        },
      },
      9,
      ['0.5 Running Ready: ready', '2.5 Failed: Error 137'],
    ],
    [
      'is killed when its startup command takes longer than it may',
      {
        spec: {
          ...{ restartPolicy: 'Never' },
          containers: [
            {
              ...{ name: 'c', image: 'i', livenessProbe: { exec: { command: ['false'] }, failureThreshold: 1 } },
              startupProbe: { exec: { command: ['sleep', '2'] }, initialDelaySeconds: 1, failureThreshold: 1 },
            },
          ],
        },
      },
      9,
      ['0.5 Running: running', '1.5 Failed: Error 137'],
    ],
    [
      'has probes whose result an annotation decides',
      {
        annotations: { 'exec-exit-code': '0' },
        spec: { containers: [{ name: 'c', image: 'i', readinessProbe: { exec: { command: ['false'] } } }] },
      },
      5,
      ['0.5 Running Ready: ready'],
    ],
    [
      'has probes that an annotation fails',
      {
        annotations: { 'exec-exit-code': 'd=3' },
        spec: {
          containers: [
            { name: 'c', image: 'i', readinessProbe: { exec: { command: ['true'] } } },
            { name: 'd', image: 'i', readinessProbe: { exec: { command: ['true'] } } },
          ],
        },
      },
      5,
      ['0.5 Running: ready; running'],
    ],
    ['does not become ready', { annotations: { unready: 'true' } }, 5, ['0.5 Running: running']],
    [
      'follows annotations for one container',
      {
        annotations: { seconds: 'c=1' },
        spec: {
          restartPolicy: 'Never',
          containers: [
            { name: 'c', image: 'i' },
            { name: 'd', image: 'i' },
          ],
        },
      },
      3,
      ['0.5 Running Ready: ready; ready', '1.5 Running: Completed 0; ready'],
    ],
    [
      'runs init containers first',
      {
        spec: {
          initContainers: [
            { name: 'first', image: 'i' },
            { name: 'side', image: 'i', restartPolicy: 'Always' },
          ],
        },
      },
      3,
      ['0.5 Pending: ready; PodInitializing; PodInitializing', '0.5 Running Ready: Completed 0; ready; ready'],
    ],
    [
      'exceeds its active deadline',
      { spec: { activeDeadlineSeconds: 2 } },
      5,
      ['0.5 Running Ready: ready', '2.0 Failed: Error 143'],
    ],
  ];
  for (const [what, wish, seconds, lines] of cases)
    it(what, () => assert.deepEqual(live(makePod(wish), seconds), lines));

  const setImage = (image: string) => (pod: Pod, second: number) => {
    if (second >= 2) pod.spec!.containers![0]!.image = image;
  };

  it('restarts with a changed image', () => {
    const lines = live(makePod({ spec: { restartPolicy: 'Never' } }), 5, setImage('j'));
    assert.deepEqual(lines, ['0.5 Running Ready: ready', '2.5 Running Ready: ready, restarted 1']);
  });

  it('waits for a changed image that does not exist', () => {
    const lines = live(makePod(), 5, setImage('web:404'));
    assert.deepEqual(lines.slice(0, 2), ['0.5 Running Ready: ready', '2.5 Running: ErrImagePull, restarted 1']);
  });

  const deleteAt = (at: number, grace: number) => (pod: Pod, second: number) => {
    if (second < at) return;
    pod.metadata.deletionTimestamp ??= timeText(START + (at + grace) * 1000);
    pod.metadata.deletionGracePeriodSeconds ??= grace;
  };

  it('ends when it is deleted', () => {
    assert.deepEqual(live(makePod(), 9, deleteAt(2, 30)), ['0.5 Running Ready: ready', '2.7 removed']);
  });

  it('ends after its termination time, but at most after its grace period', () => {
    const slow = { annotations: { 'termination-seconds': '20' } };
    assert.deepEqual(live(makePod(slow), 40, deleteAt(2, 30)).at(-1), '22.5 removed');
    assert.deepEqual(live(makePod(slow), 40, deleteAt(2, 5)).at(-1), '7.5 removed');
  });

  it('shows a terminal phase before its removal if it has a finalizer', () => {
    assert.deepEqual(live(makePod({ finalizers: ['f'] }), 9, deleteAt(2, 30)), [
      '0.5 Running Ready: ready',
      '2.7 Failed: Error 143',
      '2.7 removed',
    ]);
  });
});
