import type { JsonObject } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, together } from '../../framework/errors.ts';
import { fileFlags } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { asTyped, declaredKind } from '../../typed/typed-object.ts';
import { recorded, recordFlag } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { lastApplied, typedConfigurationOf } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { createFlags, requireFlags } from '../create/generator.ts';
import { metricsIn, percentOf } from './metrics.ts';

export const autoscale: Command = {
  name: 'autoscale',
  required: ['max'],
  short: 'Auto-scale a deployment, replica set, stateful set, or replication controller',
  long: 'Creates an autoscaler, which sets how many pods a deployment, replica set, stateful set or replication controller has.',
  examples:
    '# Two to ten replicas, for an average CPU use of 80% of the requests\n{} autoscale deployment web --min=2 --max=10 --cpu=80%\n\n# Up to six replicas, for an average use of half a CPU and 200Mi of memory\n{} autoscale deployment web --max=6 --cpu=500m --memory=200Mi',
  usage: '(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]',
  flags: [
    {
      name: 'cpu',
      type: 'string',
      help: 'Target of the average CPU use of a pod: a percentage of its request (80%) or a quantity (500m, same as 500)',
    },
    {
      name: 'cpu-percent',
      type: 'int',
      default: -1,
      help: 'Target of the average CPU use of a pod, as a percentage of its request; 0 or less sets no target',
      deprecated:
        "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).",
    },
    ...fileFlags,
    { name: 'max', type: 'int', default: -1, help: 'Largest number of pods' },
    {
      name: 'memory',
      type: 'string',
      help: 'Target of the average memory use of a pod: a percentage of its request (80%) or a quantity (200Mi, same as 200)',
    },
    {
      name: 'min',
      type: 'int',
      default: -1,
      help: 'Smallest number of pods; 0 or less leaves the choice to the server',
    },
    { name: 'name', type: 'string', help: 'Name of the autoscaler; by default the name of the scaled object' },
    ...createFlags,
    recordFlag,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  requireFlags(invocation);
  const [least, most] = [flags.int('min'), flags.int('max')];
  if (most < 1) throw new CommandError(`--max=MAXPODS is required and must be at least 1, max: ${most}`);
  if (most < least)
    throw new CommandError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${most}, min: ${least}`);
  const metrics = metricsIn(flags);
  const report = await reporter(invocation, dryRunOf(invocation), true);
  const selection = await select(session, flags, { args });
  const errors: unknown[] = [];
  for await (const one of found(session, selection, (error) => errors.push(error)))
    try {
      report(...(await scaler(invocation, one, metrics)), 'autoscaled');
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  throwAll([...errors, ...together(selection.errors)]);
  return undefined;
}

async function scaler(invocation: Invocation, { type, object }: Found, metrics: readonly JsonObject[]) {
  const { flags, session } = invocation;
  if (!type.subresources.includes('scale'))
    throw new CommandError(
      `cannot autoscale a ${object.kind}: could not find scale subresource for ${type.group}/${type.version}, Resource=${type.plural} in discovery information`,
    );
  const second = await session.typeOf('autoscaling/v2', 'HorizontalPodAutoscaler');
  const scalers = second ?? (await session.typeOf('autoscaling/v1', 'HorizontalPodAutoscaler'));
  if (scalers === undefined) throw new CommandError('the server has no autoscalers');
  const apiVersion = second === undefined ? 'autoscaling/v1' : 'autoscaling/v2';
  const percent = second === undefined ? percentOf(metrics) : undefined;
  const least = flags.int('min');
  const wanted = asObject({
    apiVersion,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: flags.text('name') || object.metadata.name!, creationTimestamp: null },
    spec: {
      maxReplicas: flags.int('max'),
      ...(least > 0 ? { minReplicas: least } : {}),
      scaleTargetRef: { apiVersion: object.apiVersion, kind: object.kind, name: object.metadata.name },
      ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }),
      ...(second === undefined || metrics.length === 0 ? {} : { metrics: [...metrics] }),
    },
    status: { ...(second === undefined ? { currentReplicas: 0 } : { currentMetrics: null }), desiredReplicas: 0 },
  });
  const declared = await declaredKind(session, wanted);
  const typed = (one: ApiObject) => (declared === undefined ? one : asTyped(one, declared));
  let made = typed(await recorded(invocation, wanted));
  const dryRun = dryRunOf(invocation);
  if (flags.bool('save-config')) made = await lastApplied(session).put(made, typedConfigurationOf(made));
  if (dryRun === 'client') return [made, scalers] as const;
  const resource = (await session.client()).resource(scalers).in(object.metadata.namespace);
  const options = await writeOptions(invocation, '-autoscale', dryRun);
  return [typed(await resource.create(made, options)), scalers] as const;
}
