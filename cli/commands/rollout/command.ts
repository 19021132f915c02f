import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Command, entryOf, type Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { nameOf, outputFlags, printerFor } from '../../output/printer.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import type { Found } from '../../resources/found.ts';
import { awaitObject } from '../../streams/await-object.ts';
import { pause, restart, resume } from './change.ts';
import { groupKind, notRolled, ROLLED, workloadFlags, workloads } from './common.ts';
import { revisionsOf, shownAs, templateIn } from './revisions.ts';
import { rolloutStatus } from './status.ts';
import { templateText } from './template-text.ts';
import { undo } from './undo.ts';

const FOREVER_MS = 7 * 24 * 3600 * 1000;

const status: Command = {
  name: 'status',
  short: 'Show the status of the rollout',
  examples:
    '# Wait until the rollout is complete, or only print its current state\n{} rollout status deployment/web\n{} rollout status deployment/web --watch=false',
  usage: '(TYPE NAME | TYPE/NAME) [flags]',
  flags: [
    ...workloadFlags,
    { name: 'revision', type: 'int', default: 0, help: 'Fail if another revision is running; 0 accepts any revision' },
    { name: 'timeout', type: 'duration', default: '0s', help: 'Time limit for the rollout; 0 means no limit' },
    { name: 'watch', short: 'w', type: 'bool', default: true, help: 'Wait until the rollout is complete' },
  ],
  run: async (invocation) => {
    const revision = invocation.flags.int64('revision');
    if (revision < 0n) throw new CommandError(`revision must be a positive integer: ${revision}`);
    const errors: unknown[] = [];
    for (const one of await workloads(invocation, errors)) {
      try {
        await follow(invocation, one);
      } catch (error) {
        invocation.io.signal.throwIfAborted();
        errors.push(error);
      }
    }
    throwAll(errors);
    return undefined;
  },
};

async function follow(invocation: Invocation, one: Found): Promise<void> {
  const { flags, session, io } = invocation;
  const { type, object } = one;
  if (!ROLLED.includes(type.kind))
    throw new CommandError(`no status viewer has been implemented for ${groupKind(type)}`);
  const key = (await session.naming()).key('deployment/revision');
  const [name, namespace] = [object.metadata.name, object.metadata.namespace];
  let last = '';
  const timeoutMs = flags.bool('watch') ? flags.duration('timeout') || FOREVER_MS : 0;
  const { met } = await awaitObject(invocation, { type, name, namespace }, timeoutMs, (each) => {
    if (each === undefined) throw new CommandError('object has been deleted');
    const { text, done } = rolloutStatus(each, type.kind, flags.int64('revision'), key);
    if (text !== last) io.out.write(text);
    last = text;
    return done;
  });
  if (!met && flags.bool('watch')) throw new CommandError('timed out waiting for the condition');
}

const history: Command = {
  name: 'history',
  short: 'View rollout history',
  examples:
    '# List the revisions, or show one revision\n{} rollout history deployment/web\n{} rollout history deployment/web --revision=3 -o yaml',
  usage: '(TYPE NAME | TYPE/NAME) [flags]',
  flags: [
    ...workloadFlags,
    ...outputFlags(),
    {
      name: 'revision',
      type: 'int',
      default: 0,
      help: 'Show the pod template of this revision, or its object with -o; 0 lists all revisions',
    },
  ],
  run: async (invocation) => {
    const { flags, session, io } = invocation;
    const printer = await objectPrinter(invocation);
    const errors: unknown[] = [];
    const wanted = flags.int64('revision');
    if (wanted < 0n) throw new CommandError(`revision must be a positive integer: ${wanted}`);
    for (const one of await workloads(invocation, errors, 'silently')) {
      try {
        if (!ROLLED.includes(one.type.kind)) throw notRolled(one.type, 'history', 'history viewer');
        const all = await revisionsOf(session, one);
        const revisions = wanted === 0n ? all : all.filter(({ number }) => number === wanted);
        if (wanted > 0n && all.length > 0 && revisions.length === 0)
          throw new CommandError('unable to find the specified revision');
        const name = nameOf(one.object, one.type);
        if (printer !== undefined) for (const each of revisions) io.out.write(printer(shownAs(each, one)));
        else if (wanted > 0n && revisions[0] !== undefined) {
          const { cause } = revisions[0];
          const template = templateIn(revisions[0], one.type.kind);
          const key = (await session.naming()).key('change-cause');
          // The cause belongs to the replica set, and is shown with the annotations of the template.
          const annotations = { ...template.metadata?.annotations, ...(cause === '' ? {} : { [key]: cause }) };
          const shown =
            one.type.kind === 'Deployment'
              ? { ...template, metadata: { ...template.metadata, annotations } }
              : template;
          io.out.write(`${name} with revision #${wanted}\n${await templateText(invocation, shown)}\n`);
        } else io.out.write(`${name} ${wanted === 0n ? '' : `with revision #${wanted}`}${tableOf(revisions)}`);
      } catch (error) {
        io.signal.throwIfAborted();
        errors.push(error);
      }
    }
    throwAll(errors);
    return undefined;
  },
};

/** The function that prints objects in the form of `-o`. Undefined means that `-o` is not given. */
async function objectPrinter({ flags, session }: Invocation): Promise<((object: ApiObject) => string) | undefined> {
  const printer = await printerFor(flags);
  if (printer === undefined || flags.text('output').toLowerCase() !== 'json')
    return printer && ((object) => printer.print(object));
  const { jsonInFieldOrder } = await import('../../output/ordered-json.ts');
  return jsonInFieldOrder(session, flags.bool('show-managed-fields'));
}

function tableOf(revisions: readonly { readonly number: bigint; readonly cause: string }[]): string {
  if (revisions.length === 0) return '\nNo rollout history found.\n';
  const writer = new TabWriter({ padding: 2, leastWidth: 0 });
  writer.line(['REVISION', 'CHANGE-CAUSE']);
  for (const { number, cause } of revisions) writer.line([String(number), cause || '<none>']);
  return `\n${writer.flush()}\n`;
}

export const rollout: Command = {
  name: 'rollout',
  short: 'Manage the rollout of a resource',
  long: 'Manage the rollout of one or many resources: deployments, daemonsets and statefulsets.',
  examples:
    '# Go back to the previous revision\n{} rollout undo deployment/web\n\n# Show the state of the rollout\n{} rollout status daemonset/agent',
  usage: 'SUBCOMMAND',
  needsSubcommand: true,
  subcommands: [history, pause, restart, resume, status, undo].map(entryOf),
};
