import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fieldManagerFlag, labelSelectorFlag, validateFlag } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { type Changes, parseChanges, type Taint, tainted } from './changes.ts';

export const taint: Command = {
  name: 'taint',
  short: 'Update the taints on one or more nodes',
  long: 'Update the taints on one or more nodes.\n\n A taint is a key, a value that may be left out, and an effect: NoSchedule, PreferNoSchedule or NoExecute. Pods that do not tolerate the taint stay away from the node. KEY:EFFECT- and KEY- remove taints.',
  examples:
    '# Only pods that tolerate the taint are scheduled to the node\n{} taint nodes n1 dedicated=batch:NoSchedule\n\n# Remove the taint with this effect, or with any effect\n{} taint nodes n1 dedicated:NoSchedule-\n{} taint nodes n1 dedicated-',
  usage: 'NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N',
  flags: [
    { name: 'all', type: 'bool', help: 'Select all nodes' },
    dryRunFlag,
    fieldManagerFlag('orchctl-taint'),
    ...outputFlags(),
    { name: 'overwrite', type: 'bool', help: 'Change taints that already exist with another value' },
    labelSelectorFlag,
    validateFlag,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const at = args.findIndex((arg) => /[=:]|-$/.test(arg));
  const [words, texts] = at < 0 ? [args, []] : [args.slice(0, at), args.slice(at)];
  const [all, selector] = [flags.bool('all'), flags.text('selector')];
  if (words.length < 1) throw new CommandError('one or more resources must be specified as <resource> <name>');
  if (texts.length === 0) throw new CommandError('at least one taint update is required');
  const [word = '', ...names] = words;
  const type = word.includes('/') ? undefined : await session.typeNamed(word);
  if (type === undefined) throw new CommandError(`the server doesn't have a resource type "${word}"`, { plain: true });
  if (type.kind !== 'Node') throw new CommandError(`invalid resource type ${word}, only node types are supported`);
  if (all && selector !== '') throw new CommandError("setting 'all' parameter but found a non empty selector. ");
  if (names.length === 0 && !all && selector === '')
    throw new CommandError("at least one resource name must be specified since 'all' parameter is not set");
  const changes = parseChanges(texts);
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, 'none');
  const selection = await select(session, flags, { args: words, all });
  const errors: unknown[] = [];
  const chosen: Found[] = [];
  for await (const one of found(session, selection, (error) => errors.push(error))) chosen.push(one);
  throwAll(errors);
  for (const { object } of chosen) {
    try {
      const { taints: now = [] } = (object['spec'] ?? {}) as { taints?: readonly Taint[] };
      if (!flags.bool('overwrite')) refuseOverwriting(now, changes, object.metadata.name!);
      const { taints, missing, done } = tainted(now, changes);
      if (missing.length > 0)
        throw new CommandError(missing.map((each) => `taint ${JSON.stringify(each)} not found`).join('\n'), {
          plain: missing.length > 1,
        });
      let changed = { ...object, spec: { ...(object['spec'] as object), taints } } as ApiObject;
      if (dryRun !== 'client') {
        const options = await writeOptions(invocation, '-taint', dryRun);
        const patch = { spec: { taints: taints.length === 0 ? null : taints } };
        const resource = (await session.client()).resource(type).in(undefined);
        changed = await resource.patch(object.metadata.name!, 'merge', patch, options);
      }
      report(changed, type, done);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

function refuseOverwriting(now: readonly Taint[], { set }: Changes, node: string): void {
  const taken = set.filter((one) => now.some(({ key, effect }) => key === one.key && effect === one.effect));
  if (taken.length > 0)
    throw new CommandError(
      `node ${node} already has ${taken.map(({ key }) => key).join(',')} taint(s) with same effect(s) and --overwrite is false`,
    );
}
