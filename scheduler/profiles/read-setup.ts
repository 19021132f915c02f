import type { Naming } from '#base/naming/naming.ts';
import { scheduler } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import { type FilePart, readFile } from '#program/operator-files/read-file.ts';
import type { Path, Problem } from '#program/operator-files/validate.ts';
import { filters } from '../filters/index.ts';
import { scores } from '../scores/index.ts';
import { defaultSetup, type Profile, type Setup } from './profile.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';

type SchedulerFile = ValueOfKind<typeof scheduler>;
type ProfileInFile = NonNullable<SchedulerFile['profiles']>[number];
type Plugins = NonNullable<ProfileInFile['plugins']>;
type Point = keyof Plugins;

/** The plug-in that evicts less important pods. */
const PREEMPTION = 'DefaultPreemption';
/** Plug-ins that always run. A file may name them, but cannot switch them off. */
const FIXED: ReadonlySet<string> = new Set(['SchedulingGates', 'PrioritySort', 'DefaultBinder']);
/** The extension points at which plug-ins can be switched on and off. */
const POINTS: readonly Point[] = ['multiPoint', 'filter', 'score', 'postFilter'];
const ALL = '*';

/** A setup, and the flags that its file sets, in the form of a command line. */
export interface SetupFile {
  readonly setup: Setup;
  readonly flags: readonly string[];
}

/**
 * Reads the file of `--config`. Its values take precedence over flags.
 *
 * @throws ConfigError with the place of each mistake, and of everything that this scheduler does not support
 */
export function readSetup(file: string, naming: Naming): SetupFile {
  const part = readFile(file, 'config');
  const content = part.as(scheduler, naming);
  part.refuse([...notBuilt(content), ...wrongProfiles(content)]);
  const profiles = (content.profiles ?? [{}]).map((one) => profileOf(one, content.percentageOfNodesToScore ?? 0));
  const first = (content.podInitialBackoffSeconds ?? defaultSetup.firstBackoffMs / 1000) * 1000;
  const longest = (content.podMaxBackoffSeconds ?? defaultSetup.longestBackoffMs / 1000) * 1000;
  if (longest < first)
    part.refuse([{ path: ['podMaxBackoffSeconds'], what: 'must not be less than podInitialBackoffSeconds' }]);
  return {
    setup: {
      profiles: new Map(profiles.map((profile) => [profile.schedulerName, profile])),
      firstBackoffMs: first,
      longestBackoffMs: longest,
    },
    flags: flagsOf(content, part, naming),
  };
}

function notBuilt(content: SchedulerFile): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: Path, what: string) => problems.push({ path, what });
  if ((content.extenders ?? []).length > 0) refuse(['extenders'], 'is not built: this scheduler asks no other program');
  if (content.parallelism !== undefined && content.parallelism !== null)
    refuse(['parallelism'], 'is not built: this scheduler decides on one processor');
  if (content.delayCacheUntilActive === true)
    refuse(['delayCacheUntilActive'], 'is not built: every instance keeps its copies filled');
  const { resourceLock } = content.leaderElection ?? {};
  if (resourceLock && resourceLock !== 'leases')
    refuse(['leaderElection', 'resourceLock'], 'must be leases: there is no other lock');
  for (const [i, { plugins, pluginConfig }] of (content.profiles ?? []).entries()) {
    for (const [j, { args }] of (pluginConfig ?? []).entries())
      if (
        args !== undefined &&
        args !== null &&
        Object.keys(args).some((key) => key !== 'kind' && key !== 'apiVersion')
      )
        refuse(['profiles', i, 'pluginConfig', j, 'args'], 'is not built: plug-ins here have no settings but weights');
    for (const [point, sets] of Object.entries(plugins ?? {})) {
      const isKnown = POINTS.includes(point as Point);
      for (const [list, names] of Object.entries(sets ?? {}) as ['enabled' | 'disabled', { name: string }[] | null][])
        for (const [j, { name }] of (names ?? []).entries()) {
          const path = ['profiles', i, 'plugins', point, list, j, 'name'];
          if (!isKnown && !(list === 'enabled' && FIXED.has(name)))
            refuse(path, `is not built at this point: name plug-ins in ${POINTS.join(', ')}`);
          else if (isKnown) {
            const what = wrongName(name, point as Point, list);
            if (what !== undefined) refuse(path, what);
          }
        }
    }
  }
  return problems;
}

function wrongName(name: string, point: Point, list: 'enabled' | 'disabled'): string | undefined {
  if (name === ALL) return list === 'disabled' ? undefined : 'must name a plug-in';
  if (FIXED.has(name)) return list === 'enabled' ? undefined : 'cannot be switched off';
  const known = namesAt(point);
  return known.includes(name) ? undefined : `is no plug-in that is built: choose among ${known.join(', ')}`;
}

function namesAt(point: Point): readonly string[] {
  const ofFilters = point === 'score' || point === 'postFilter' ? [] : filters.map(({ name }) => name);
  const ofScores = point === 'filter' || point === 'postFilter' ? [] : scores.map(({ name }) => name);
  const others = point === 'multiPoint' || point === 'postFilter' ? [PREEMPTION] : [];
  return [...new Set([...ofFilters, ...ofScores, ...others])].sort();
}

function wrongProfiles({ profiles }: SchedulerFile): Problem[] {
  const seen = new Set<string>();
  return (profiles ?? []).flatMap(({ schedulerName }, i): Problem[] => {
    const name = schedulerName ?? SCHEDULER_NAME;
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path: ['profiles', i, 'schedulerName'], what: 'must differ from those of the other profiles' }];
  });
}

function profileOf({ schedulerName, plugins, percentageOfNodesToScore }: ProfileInFile, percentage: number): Profile {
  const isOn = (name: string, point: Point) => {
    const own = plugins?.[point];
    if (own?.enabled?.some((one) => one.name === name)) return true;
    if (own?.disabled?.some((one) => one.name === name || one.name === ALL)) return false;
    const everywhere = plugins?.multiPoint;
    if (everywhere?.enabled?.some((one) => one.name === name)) return true;
    return !everywhere?.disabled?.some((one) => one.name === name || one.name === ALL);
  };
  const weightOf = (name: string) =>
    [plugins?.score, plugins?.multiPoint]
      .map((point) => point?.enabled?.find((one) => one.name === name)?.weight)
      .find((weight) => weight !== undefined && weight !== null && weight !== 0);
  return {
    schedulerName: schedulerName ?? SCHEDULER_NAME,
    filters: filters.filter(({ name }) => isOn(name, 'filter')),
    scores: scores
      .filter(({ name }) => isOn(name, 'score'))
      .map((score) => ({ ...score, weight: weightOf(score.name) ?? score.weight })),
    preempts: isOn(PREEMPTION, 'postFilter'),
    percentageOfNodesToScore: percentageOfNodesToScore ?? percentage,
  };
}

function flagsOf(
  { leaderElection, clientConnection, ...rest }: SchedulerFile,
  part: FilePart,
  naming: Naming,
): string[] {
  const { kubeconfig, qps, burst } = clientConnection ?? {};
  const rows: readonly (readonly [flag: string, value: unknown])[] = [
    ['leader-elect', leaderElection?.leaderElect],
    ['leader-elect-lease-duration', leaderElection?.leaseDuration],
    ['leader-elect-renew-deadline', leaderElection?.renewDeadline],
    ['leader-elect-retry-period', leaderElection?.retryPeriod],
    ['leader-elect-resource-name', leaderElection?.resourceName],
    ['leader-elect-resource-namespace', leaderElection?.resourceNamespace],
    ['kubeconfig', kubeconfig ? part.resolve(kubeconfig) : undefined],
    [naming.prefixed('api-qps'), qps],
    [naming.prefixed('api-burst'), burst],
    ['profiling', rest.enableProfiling],
    ['contention-profiling', rest.enableContentionProfiling],
  ];
  return rows.flatMap(([flag, value]) => (value === undefined || value === null ? [] : [`--${flag}=${value}`]));
}
