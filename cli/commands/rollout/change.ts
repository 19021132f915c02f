import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { fieldManagerFlag } from '../../resources/flags.ts';
import type { Found } from '../../resources/found.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { quoted, ROLLED, workloadFlags, workloads } from './common.ts';

/** A change of one field of workloads. */
interface Change {
  readonly name: 'pause' | 'resume' | 'restart';
  readonly short: string;
  readonly done: string;
  /** The patch for one workload. @throws CommandError if the workload cannot be changed */
  readonly patch: (invocation: Invocation, one: Found) => Promise<object>;
}

function changeCommand({ name, short, done, patch }: Change): Command {
  return {
    name,
    short,
    examples: `# A deployment\n{} rollout ${name} deployment/web`,
    usage: 'RESOURCE',
    flags: [fieldManagerFlag('orchctl-rollout'), ...workloadFlags, ...outputFlags()],
    run: async (invocation) => {
      const { session, io } = invocation;
      const report = await reporter(invocation, 'none', true);
      const errors: unknown[] = [];
      for (const one of await workloads(invocation, errors)) {
        try {
          const body = await patch(invocation, one);
          const resource = (await session.client()).resource(one.type).in(one.object.metadata.namespace);
          const options = await writeOptions(invocation, '-rollout', 'none');
          report(await resource.patch(one.object.metadata.name!, 'strategic', body, options), one.type, done);
        } catch (error) {
          io.signal.throwIfAborted();
          errors.push(error);
        }
      }
      throwAll(errors);
      return undefined;
    },
  };
}

const isPaused = ({ object }: Found) => (object['spec'] as { paused?: boolean } | undefined)?.paused === true;

/** The patch for pause and resume. */
const pausing =
  (paused: boolean): Change['patch'] =>
  async (_, one) => {
    const what = quoted(one);
    if (one.type.kind !== 'Deployment')
      throw new CommandError(`${what} ${paused ? 'pausing' : 'resuming'} is not supported`);
    if (isPaused(one) === paused) throw new CommandError(`${what} is ${paused ? 'already' : 'not'} paused`);
    return { spec: { paused: paused ? true : null } };
  };

export const pause = changeCommand({
  name: 'pause',
  short: 'Mark the provided resource as paused',
  done: 'paused',
  patch: pausing(true),
});

export const resume = changeCommand({
  name: 'resume',
  short: 'Resume a paused resource',
  done: 'resumed',
  patch: pausing(false),
});

export const restart = changeCommand({
  name: 'restart',
  short: 'Restart a resource',
  done: 'restarted',
  patch: async ({ session, io }, one) => {
    const what = quoted(one);
    if (!ROLLED.includes(one.type.kind)) throw new CommandError(`${what} restarting is not supported`);
    if (isPaused(one)) throw new CommandError(`${what} can't restart paused deployment (run rollout resume first)`);
    const key = (await session.naming()).key('ctl/restartedAt');
    const now = new Date(io.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const { template } = (one.object['spec'] ?? {}) as {
      template?: { metadata?: { annotations?: Readonly<Record<string, string>> } };
    };
    if (template?.metadata?.annotations?.[key] === now)
      throw new CommandError(
        `failed to create patch for ${one.object.metadata.name}: if restart has already been triggered within the past second, please wait before attempting to trigger another`,
      );
    return { spec: { template: { metadata: { annotations: { [key]: now } } } } };
  },
});
