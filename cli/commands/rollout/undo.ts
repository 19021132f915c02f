import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag } from '../../resources/flags.ts';
import type { Found } from '../../resources/found.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { notRolled, quoted, ROLLED, workloadFlags, workloads } from './common.ts';
import { type Revision, revisionsOf, templateIn } from './revisions.ts';
import { templateText } from './template-text.ts';

export const undo: Command = {
  name: 'undo',
  short: 'Undo a previous rollout',
  examples:
    '# Go back to the previous revision, or to revision 3\n{} rollout undo deployment/web\n{} rollout undo deployment/web --to-revision=3',
  usage: '(TYPE NAME | TYPE/NAME) [flags]',
  flags: [
    dryRunFlag,
    ...workloadFlags,
    ...outputFlags(),
    { name: 'to-revision', type: 'int', default: 0, help: 'Revision to go back to; 0 means the previous revision' },
  ],
  run: async (invocation) => {
    const dryRun = dryRunOf(invocation);
    const report = await reporter(invocation, dryRun, true);
    const errors: unknown[] = [];
    for (const one of await workloads(invocation, errors)) {
      try {
        report(one.object, one.type, await rollBack(invocation, one));
      } catch (error) {
        invocation.io.signal.throwIfAborted();
        errors.push(error);
      }
    }
    throwAll(errors);
    return undefined;
  },
};

/** Restores the template of a revision, and returns the report. */
async function rollBack(invocation: Invocation, one: Found): Promise<string> {
  const { flags, session } = invocation;
  const { type, object } = one;
  if (!ROLLED.includes(type.kind)) throw notRolled(type, 'rollbacker', 'rollbacker');
  const { spec } = object as unknown as { spec: { paused?: boolean; template: JsonValue } };
  const wanted = chosen(await revisionsOf(session, one), flags.int64('to-revision'), one);
  if (spec.paused === true)
    throw new CommandError(
      `you cannot rollback a paused deployment; resume it first with 'orchctl rollout resume' and try again (${quoted(one)})`,
    );
  const { holder } = wanted;
  const dryRun = dryRunOf(invocation);
  if (dryRun === 'client') {
    const text = await templateText(invocation, templateIn(wanted, type.kind));
    return type.kind === 'Deployment' ? text : `will roll back to ${text}`;
  }
  const template = type.kind === 'Deployment' ? templateOf(holder) : templateOf(holder['data'] as object);
  if (jsonEqual(template, templateOf(object)))
    return `skipped rollback (current template already matches revision ${flags.int64('to-revision')})`;
  const resource = (await session.client()).resource(type).in(object.metadata.namespace);
  const options = await writeOptions(invocation, '', dryRun);
  const patch = [{ op: 'replace', path: '/spec/template', value: template }];
  await resource.patch(object.metadata.name!, 'json', patch, options);
  return 'rolled back';
}

function chosen(revisions: readonly Revision[], number: bigint, { type, object }: Found): Revision {
  if (number === 0n && revisions.length < 2)
    throw new CommandError(`no rollout history found for ${type.singular} ${JSON.stringify(object.metadata.name)}`);
  const found = number === 0n ? revisions.at(-2) : revisions.find((revision) => revision.number === number);
  if (found === undefined) throw new CommandError(`unable to find specified revision ${number} in history`);
  return found;
}

/** The template without the label whose value differs for each revision. */
function templateOf(holder: object): JsonValue {
  const { template } = (holder as { spec: { template: { metadata?: { labels?: Record<string, string> } } } }).spec;
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {};
  const { $patch: __, ...rest } = template as typeof template & { $patch?: string };
  const metadata = { creationTimestamp: null, ...template.metadata, labels };
  return { ...rest, metadata } as unknown as JsonValue;
}
