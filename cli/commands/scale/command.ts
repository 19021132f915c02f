import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fileFlags, labelSelectorFlag } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { recordAfterwards, recordFlag } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { requireFlags } from '../create/generator.ts';

export const scale: Command = {
  name: 'scale',
  required: ['replicas'],
  short: 'Set a new size for a deployment, replica set, or replication controller',
  long: 'Set a new size for a deployment, replica set, replication controller, or stateful set.\n\n With --current-replicas or --resource-version the size changes only if the object matches them.',
  examples:
    '# Set three replicas\n{} scale --replicas=3 deployment/web\n\n# Set three replicas only if there are two now\n{} scale --current-replicas=2 --replicas=3 deployment/web',
  usage: '[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)',
  flags: [
    { name: 'all', type: 'bool', help: 'Select all objects of the given types' },
    {
      name: 'current-replicas',
      type: 'int',
      default: -1,
      help: 'Scale only if the current number of replicas is this; -1 means any number',
    },
    dryRunFlag,
    ...fileFlags,
    ...outputFlags(),
    { name: 'replicas', type: 'int', default: 0, help: 'New number of replicas' },
    { name: 'resource-version', type: 'string', help: 'Scale only if the object has this resource version' },
    labelSelectorFlag,
    recordFlag,
    { name: 'timeout', type: 'duration', help: 'Time limit to reach the new number of replicas; 0 does not wait' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  requireFlags(invocation);
  if (flags.int('replicas') < 0)
    throw new CommandError('The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0');
  if (flags.int('current-replicas') < -1)
    throw new CommandError('The --current-replicas must specify an integer of -1 or greater');
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun);
  const selection = await select(session, flags, { args, all: flags.bool('all') && flags.text('selector') === '' });
  const errors: unknown[] = [...selection.errors];
  const chosen: Found[] = [];
  for await (const one of found(session, selection, (error) => errors.push(error))) chosen.push(one);
  if (chosen.length === 0) {
    const why = errors.map((error) => (error instanceof Error ? error.message : String(error))).join(', ');
    throw new CommandError(`no objects passed to scale ${why}`.trimEnd());
  }
  if (chosen.length > 1 && flags.text('resource-version') !== '')
    throw new CommandError('cannot use --resource-version with multiple resources');
  for (const { type, object } of chosen) {
    try {
      if (dryRun !== 'client') {
        await scaleOne(invocation, { type, object }, dryRun === 'server');
        if (flags.duration('timeout') !== 0 && dryRun === 'none') await scaled(invocation, { type, object });
        await recordAfterwards(invocation, { type, object }, '', dryRun);
      }
      report(object, type, 'scaled');
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

async function scaleOne(
  invocation: Invocation,
  { type, object }: Pick<Found, 'type' | 'object'>,
  tried: boolean,
): Promise<void> {
  const { flags, session } = invocation;
  const resource = (await session.client()).resource(type).in(object.metadata.namespace);
  const name = object.metadata.name!;
  const [expected, version] = [flags.int('current-replicas'), flags.text('resource-version')];
  const options = { ...(await writeOptions(invocation, '', tried ? 'server' : 'none')), subresource: 'scale' };
  const wanted = { spec: { replicas: flags.int('replicas') } };
  if (expected < 0 && version === '') {
    await resource.patch(name, 'merge', wanted, options);
    return;
  }
  const present = await resource.get(name, { subresource: 'scale' });
  const { replicas = 0 } = (present['spec'] ?? {}) as { replicas?: number };
  if (expected >= 0 && replicas !== expected)
    throw new CommandError(`Expected replicas to be ${expected}, was ${replicas}`);
  const { resourceVersion } = present.metadata;
  if (version !== '' && resourceVersion !== version)
    throw new CommandError(`Expected resource version to be ${version}, was ${resourceVersion}`);
  await resource.update({ ...present, ...wanted } as ApiObject, options);
}

/** The pause between checks, in milliseconds. */
const PAUSE_MS = 1000;

/**
 * Resolves when the object has the requested number of replicas, or when another client has requested another number.
 * @throws CommandError after the timeout
 */
async function scaled(invocation: Invocation, { type, object }: Pick<Found, 'type' | 'object'>): Promise<void> {
  const { flags, session, io } = invocation;
  const { namespace, name = '' } = object.metadata;
  const [wanted, timeoutMs] = [flags.int('replicas'), flags.duration('timeout')];
  const resource = (await session.client()).resource(type).in(namespace);
  for (const began = performance.now(); ; ) {
    const scale = await resource.get(name, { subresource: 'scale' });
    const [asked, there] = [scale['spec'], scale['status']].map((part) => (part as Scale | undefined)?.replicas ?? 0);
    if (asked !== wanted || there === wanted) return;
    const left = timeoutMs - (performance.now() - began);
    if (left <= 0) throw new CommandError(`timed out waiting for ${JSON.stringify(name)} to be synced`);
    await sleep(timerMs(Math.min(PAUSE_MS, left)), undefined, { signal: io.signal });
  }
}

interface Scale {
  readonly replicas?: number;
}
