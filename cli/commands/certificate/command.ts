import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Command, entryOf, type Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { fileFlags } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { reporter } from '../../write/report.ts';

interface Verdict {
  readonly name: 'approve' | 'deny';
  readonly done: 'approved' | 'denied';
  readonly condition: 'Approved' | 'Denied';
}

interface Condition {
  readonly type: string;
}

/** The largest number of attempts to change a request that other clients change at the same time. */
const TRIES = 10;

function verdictCommand(verdict: Verdict): Command {
  const { name } = verdict;
  return {
    name,
    short: `${name === 'approve' ? 'Approve' : 'Deny'} a certificate signing request`,
    examples: `# One request\n{} certificate ${name} csr-1`,
    usage: '(-f FILENAME | NAME)',
    flags: [
      ...fileFlags,
      { name: 'force', type: 'bool', help: 'Write the condition again if the request already has it' },
      ...outputFlags(),
    ],
    run: (invocation) => decide(invocation, verdict),
  };
}

async function decide(invocation: Invocation, verdict: Verdict): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  if (args.length === 0 && flags.list('filename').length === 0)
    throw new CommandError('one or more CSRs must be specified as <name> or -f <filename>');
  if (args.includes('')) throw new CommandError('resource name may not be empty');
  const report = await reporter(invocation, 'none');
  const selection = await select(session, flags, {
    args: args.map((arg) => (arg.includes('/') ? arg : `certificatesigningrequests/${arg}`)),
  });
  const errors: unknown[] = [...selection.errors];
  if (selection.targets.some(({ type, object }) => type.namespaced && object === undefined))
    throw new CommandError('namespace may not be empty when retrieving a resource by name');
  const kind = inGroup('CertificateSigningRequest', (await session.naming()).group('certificates'));
  for await (const one of found(session, selection, (error) => errors.push(error))) {
    try {
      const asked = inGroup(one.type.kind, one.type.group);
      if (asked !== kind) throw new CommandError(`can only handle ${kind} objects, got ${one.type.kind}`);
      report(await write(invocation, one, verdict), one.type, verdict.done);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

async function write(invocation: Invocation, { type, object }: Found, verdict: Verdict): Promise<ApiObject> {
  const { flags, session, io } = invocation;
  const resource = (await session.client()).resource(type).in(undefined);
  const { commandLine } = await session.naming();
  const other = verdict.condition === 'Approved' ? 'Denied' : 'Approved';
  let present = object;
  for (let tries = 1; ; tries++) {
    const status = (present['status'] ?? {}) as { conditions?: readonly Condition[] };
    const conditions = status.conditions ?? [];
    if (conditions.some((condition) => condition.type === other))
      throw new CommandError(`certificate signing request "${object.metadata.name}" is already ${other}`);
    if (!flags.bool('force') && conditions.some((condition) => condition.type === verdict.condition)) return present;
    const now = new Date(io.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const said = {
      type: verdict.condition,
      status: 'True',
      reason: `${commandLine[0]!.toUpperCase()}${commandLine.slice(1)}${verdict.name === 'approve' ? 'Approve' : 'Deny'}`,
      message: `This CSR was ${verdict.done} by ${commandLine} certificate ${verdict.name}.`,
      lastUpdateTime: now,
    };
    const others = conditions.filter((condition) => condition.type !== verdict.condition);
    const changed = { ...present, status: { ...status, conditions: [...others, said] } } as ApiObject;
    try {
      return await resource.update(changed, { subresource: 'approval' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'Conflict' || tries >= TRIES) throw error;
      present = await resource.get(object.metadata.name!);
    }
  }
}

const verdicts: readonly Verdict[] = [
  { name: 'approve', done: 'approved', condition: 'Approved' },
  { name: 'deny', done: 'denied', condition: 'Denied' },
];

export const certificate: Command = {
  name: 'certificate',
  short: 'Modify certificate resources',
  long: 'Modify certificate resources.',
  usage: 'SUBCOMMAND',
  subcommands: verdicts.map(verdictCommand).map(entryOf),
};
