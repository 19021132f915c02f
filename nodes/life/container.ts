import type { Container, ContainerState, ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import { execFailure, failsAfterMs } from './exec-probe.ts';
import { failingPull, type NoImage } from './image-pull.ts';
import { timeOf, timeText } from './times.ts';
import type { Wishes } from './wishes.ts';

/** An event of a container, for an Event and for its log. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The next state of a container. */
export interface Moment {
  readonly status: ContainerStatus;
  readonly happened: readonly Happening[];
  /** The time of the next change, in milliseconds since 1970. Undefined if no change is due. */
  readonly nextAt: number | undefined;
}

/** The facts that decide the next state of a container, besides its status. */
export interface Circumstances {
  readonly pod: Pod;
  readonly container: Container;
  readonly wishes: Wishes;
  /** The reason why its image is missing; undefined if it is present. */
  readonly noImage: NoImage | undefined;
  readonly now: number;
  /** The time at which it began to run, in milliseconds; undefined if this process has not seen the start. */
  readonly startedAt: number | undefined;
  /** Whether the container ends with success by itself: a container of a job, or an init container. */
  readonly endsByItself: boolean;
  /** When the container restarts: `Always`, `OnFailure` or `Never`. */
  readonly restartPolicy: string;
}

/** The waiting time before the first restart of an ended container, and the longest one. It doubles each time. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;

const KILLED = 137;
/** The exit code of a process that ended because it was asked to end. */
export const ASKED_TO_END = 143;

/** The state in which a container waits for its first start. */
export function waitingContainer({ name, image = '' }: Container, reason: string, message?: string): ContainerStatus {
  const waiting = { reason, ...(message === undefined ? {} : { message }) };
  return {
    ...{ name, image, imageID: '', ready: false, restartCount: 0, started: false },
    state: { waiting },
  };
}

/** The state of a container now, from its last state. */
export function advance(status: ContainerStatus, circumstances: Circumstances): Moment {
  const { state = {} } = status;
  if (state.running !== undefined) return whileRunning(status, circumstances);
  if (state.terminated !== undefined) return afterEnd(status, state.terminated, circumstances);
  return whileWaiting(status, circumstances);
}

function still(status: ContainerStatus, nextAt?: number): Moment {
  return { status, happened: [], nextAt };
}

/** The container waits for its image, or for its next start. */
function whileWaiting(status: ContainerStatus, circumstances: Circumstances): Moment {
  const { wishes, now, pod } = circumstances;
  if (circumstances.noImage === 'invalid') return withInvalidImage(status, circumstances);
  if (circumstances.noImage === 'unpullable') return whilePulling(status, circumstances);
  if (status.state?.waiting?.reason === 'CrashLoopBackOff') {
    const ended = timeOf(status.lastState?.terminated?.finishedAt) ?? now;
    const dueAt = ended + backoffMs(status.restartCount);
    if (now < dueAt) return still(status, dueAt);
    return start({ ...status, restartCount: status.restartCount + 1 }, circumstances);
  }
  const since = timeOf(pod.status?.startTime) ?? now;
  const dueAt = since + (wishes.ms('start-seconds') ?? 0);
  return now < dueAt ? still(status, dueAt) : start(status, circumstances);
}

function withInvalidImage(status: ContainerStatus, { container }: Circumstances): Moment {
  const reason = 'InvalidImageName';
  if (status.state?.waiting?.reason === reason) return still(status);
  const message = `image "${container.image}": the name cannot be read`;
  const happened: Happening[] = [
    { type: 'Warning', reason: 'InspectFailed', message },
    { type: 'Warning', reason: 'Failed', message: `Error: ${reason}` },
  ];
  return { status: waitingAgain(status, container, reason, message), happened, nextAt: undefined };
}

/** The container waits while its node tries again and again to pull an image that cannot be pulled. */
function whilePulling(status: ContainerStatus, { container, pod, now }: Circumstances): Moment {
  const { image = '' } = container;
  const had = status.state?.waiting?.reason;
  const isFirst = had !== 'ErrImagePull' && had !== 'ImagePullBackOff';
  const { reason, forMs } = failingPull(isFirst ? 0 : now - (timeOf(pod.status?.startTime) ?? now));
  const nextAt = now + forMs;
  if (had === reason) return still(status, nextAt);
  const failure = `Failed to pull image "${image}": simulated`;
  const message = reason === 'ErrImagePull' ? failure : `Back-off pulling image "${image}"`;
  const happened: Happening[] =
    reason === 'ErrImagePull'
      ? [
          { type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
          { type: 'Warning', reason: 'Failed', message: failure },
        ]
      : [{ type: 'Normal', reason: 'BackOff', message }];
  return {
    status: waitingAgain(status, container, reason, message),
    happened: [...happened, { type: 'Warning', reason: 'Failed', message: `Error: ${reason}` }],
    nextAt,
  };
}

/** The state of a container that waits and that may have run before. */
function waitingAgain(
  { lastState, restartCount }: ContainerStatus,
  container: Container,
  reason: string,
  message: string,
): ContainerStatus {
  return { ...waitingContainer(container, reason, message), ...(lastState && { lastState }), restartCount };
}

function start(status: ContainerStatus, circumstances: Circumstances): Moment {
  const { container, now, pod } = circumstances;
  const { name, image = '' } = container;
  const { restartCount } = status;
  const started: ContainerStatus = {
    ...status,
    image,
    imageID: `simulated://${image}`,
    containerID: `simulated://${pod.metadata.uid}/${name}/${restartCount}`,
    state: { running: { startedAt: timeText(now) } },
    started: true,
    ready: false,
  };
  const happened: Happening[] = [
    { type: 'Normal', reason: 'Pulled', message: `Container image "${image}" already present on machine` },
    { type: 'Normal', reason: 'Created', message: `Created container ${name}` },
    { type: 'Normal', reason: 'Started', message: `Started container ${name}` },
  ];
  const running = whileRunning(started, { ...circumstances, startedAt: now });
  return { ...running, happened: [...happened, ...running.happened] };
}

/** The container runs until a wish ends it. */
function whileRunning(status: ContainerStatus, circumstances: Circumstances): Moment {
  const { wishes, now, container } = circumstances;
  if (status.image !== (container.image ?? '')) return withAnotherImage(status, circumstances);
  const startedAt = circumstances.startedAt ?? timeOf(status.state?.running?.startedAt) ?? now;
  const ends = endsOf(circumstances)
    .map((end) => ({ ...end, at: startedAt + end.afterMs }))
    .sort((a, b) => a.at - b.at);
  const [next] = ends;
  // The container must be seen running before it ends.
  if (next !== undefined && next.at <= now && circumstances.startedAt !== now) return end(status, next, circumstances);
  const started = execFailure(container.startupProbe, wishes) === undefined;
  const unready = whyUnready(circumstances);
  const readyAt = unready !== undefined || !started ? undefined : startedAt + (wishes.ms('ready-seconds') ?? 0);
  const ready = readyAt !== undefined && readyAt <= now;
  const isNews = unready !== undefined && (status.ready || circumstances.startedAt === now);
  const happened: Happening[] =
    isNews && started && container.readinessProbe !== undefined
      ? [{ type: 'Warning', reason: 'Unhealthy', message: `Readiness probe failed: ${unready}` }]
      : [];
  const times = [next?.at, ready ? undefined : readyAt].filter((at) => at !== undefined);
  return {
    status: { ...status, ready, started },
    happened,
    nextAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** Why a running container is not ready, in the words of its probe. Undefined if the probe succeeds. */
function whyUnready({ wishes, container }: Circumstances): string | undefined {
  return wishes.is('unready') ? 'simulated' : execFailure(container.readinessProbe, wishes);
}

/** Ends a container whose image was changed, and starts it with the new image, even if its policy forbids restarts. */
function withAnotherImage(status: ContainerStatus, circumstances: Circumstances): Moment {
  const { container, now, noImage } = circumstances;
  const { state, ...ended } = endedContainer(status, ASKED_TO_END, 'Error', now);
  const message = `Container ${container.name} definition changed, will be restarted`;
  const again = { ...ended, lastState: { ...state }, restartCount: status.restartCount + 1 };
  const waiting = { ...again, state: { waiting: { reason: 'ContainerCreating' } } };
  const next =
    noImage === undefined
      ? start(waiting, { ...circumstances, startedAt: now })
      : whileWaiting(waiting, { ...circumstances, startedAt: undefined });
  return { ...next, happened: [{ type: 'Normal', reason: 'Killing', message }, ...next.happened] };
}

/** One possible end of a running container. */
interface End {
  readonly afterMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly happened: readonly Happening[];
}

/** The longest time that a command may wait, in milliseconds: a year. */
const LONGEST_MS = 366 * 24 * 3600 * 1000;

/** The end of a command that consists of only one of these words. Every other command succeeds at once. */
function endOfCommand(command: readonly string[]): { readonly afterMs: number; readonly exitCode: number } {
  const [program = '', option, script = ''] = command;
  const isShell = /(?:^|\/)(?:ba|da|a)?sh$/.test(program) && option === '-c';
  const [, word, number] =
    /^(sleep|exit|false)(?: (\d{1,9}))?$/.exec((isShell ? script : command.join(' ')).trim()) ?? [];
  if (word === 'sleep') return { afterMs: Math.min(LONGEST_MS, Number(number ?? 0) * 1000), exitCode: 0 };
  return { afterMs: 0, exitCode: word === 'exit' ? Number(number ?? 0) % 256 : Number(word === 'false') };
}

/** The ends of a container because a probe fails. Its node kills it. */
function endsByProbes(wishes: Wishes, { name, livenessProbe, startupProbe }: Container): readonly End[] {
  const killed = (kind: 'liveness' | 'startup', afterMs: number, failure: string): End => ({
    ...{ afterMs, exitCode: KILLED, reason: 'Error' },
    happened: [
      {
        ...{ type: 'Warning', reason: 'Unhealthy' },
        message: `${kind === 'startup' ? 'Startup' : 'Liveness'} probe failed: ${failure}`,
      },
      { type: 'Normal', reason: 'Killing', message: `Container ${name} failed ${kind} probe, will be restarted` },
    ],
  });
  const notStarted = execFailure(startupProbe, wishes);
  // Until the startup probe has succeeded, a node does not run the other probes.
  if (notStarted !== undefined) return [killed('startup', failsAfterMs(startupProbe!), notStarted)];
  const ends: End[] = [];
  const unhealthy = wishes.ms('unhealthy-seconds');
  if (unhealthy !== undefined) ends.push(killed('liveness', unhealthy, 'simulated'));
  const failure = execFailure(livenessProbe, wishes);
  if (failure !== undefined) ends.push(killed('liveness', failsAfterMs(livenessProbe!), failure));
  return ends;
}

function endsOf({ wishes, container, endsByItself }: Circumstances): readonly End[] {
  const ends: End[] = [];
  const oom = wishes.ms('oom-seconds');
  if (oom !== undefined) ends.push({ afterMs: oom, exitCode: KILLED, reason: 'OOMKilled', happened: [] });
  ends.push(...endsByProbes(wishes, container));
  const written = endsByItself ? endOfCommand([...(container.command ?? []), ...(container.args ?? [])]) : undefined;
  const seconds = wishes.ms('seconds') ?? written?.afterMs;
  if (seconds !== undefined) {
    const exitCode = wishes.exitCode ?? written?.exitCode ?? 0;
    ends.push({ afterMs: seconds, exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', happened: [] });
  }
  return ends;
}

function end(status: ContainerStatus, { exitCode, reason, happened }: End, circumstances: Circumstances): Moment {
  const ended = endedContainer(status, exitCode, reason, circumstances.now);
  const after = afterEnd(ended, ended.state!.terminated!, circumstances);
  return { ...after, happened: [...happened, ...after.happened] };
}

/** The state of a container that has run and has ended. */
export function endedContainer(
  status: ContainerStatus,
  exitCode: number,
  reason: string,
  now: number,
): ContainerStatus {
  const { containerID = '' } = status;
  const startedAt = status.state?.running?.startedAt ?? timeText(now);
  const terminated = { exitCode, reason, startedAt, finishedAt: timeText(now), containerID };
  return { ...status, state: { terminated }, ready: false, started: false };
}

/** The container stays ended, or waits for its restart. */
function afterEnd(
  status: ContainerStatus,
  terminated: NonNullable<ContainerState['terminated']>,
  circumstances: Circumstances,
): Moment {
  const { pod, container, restartPolicy, now } = circumstances;
  const restarts = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && terminated.exitCode !== 0);
  if (!restarts) return still(status);
  const last = { ...status, lastState: { terminated } };
  // The first restart is immediate, as if the series of waiting times began with 0.
  if (status.restartCount === 0) return start({ ...last, restartCount: 1 }, { ...circumstances, startedAt: now });
  const wait = backoffMs(status.restartCount);
  const which = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
  const message = `back-off ${wait / 1000}s restarting failed container=${container.name} pod=${which}`;
  return {
    status: { ...last, state: { waiting: { reason: 'CrashLoopBackOff', message } }, ready: false, started: false },
    happened: [
      {
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container ${container.name} in pod ${which}`,
      },
    ],
    nextAt: (timeOf(terminated.finishedAt) ?? now) + wait,
  };
}

/** The waiting time of a container before its next start, after this number of restarts. */
function backoffMs(restarts: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(10, restarts - 1));
}
