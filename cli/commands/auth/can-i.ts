import type { Rule } from '#client/access/grants.ts';
import { formatJson, parseJson } from '#client/json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError } from '../../framework/errors.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { allNamespacesFlag } from '../../resources/flags.ts';
import { singleRules } from './single-rules.ts';

const VERBS = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use', 'bind'],
  ...['impersonate', '*', 'approve', 'sign', 'escalate', 'attest'],
]);
/** Types that a user can impersonate, although no server lists them. */
const VIRTUAL_TYPES = new Set(['users', 'groups']);
const PATH_VERBS = new Set(['get', 'put', 'post', 'head', 'options', 'delete', 'patch', '*']);

export const canI: Command = {
  name: 'can-i',
  short: 'Check whether an action is allowed',
  long: 'Check whether an action is allowed.\n\n VERB is a verb of the API, such as get or delete; TYPE is a type of resource; /PATH is a URL path that is not a resource. The exit code is 0 for yes and 1 for no.',
  examples: [
    '# Check whether I may create pods in this namespace, and in all namespaces',
    '{} auth can-i create pods',
    '{} auth can-i create pods --all-namespaces',
    '',
    '# Check a subresource, and one object',
    '{} auth can-i get pods --subresource=log',
    '{} auth can-i get configmap/settings',
    '',
    '# List all actions that I may do in a namespace',
    '{} auth can-i --list -n team-a',
  ].join('\n'),
  usage: 'VERB [TYPE | TYPE/NAME | NONRESOURCEURL]',
  flags: [
    allNamespacesFlag,
    { name: 'list', type: 'bool', help: 'List all allowed actions in the namespace' },
    { name: 'no-headers', type: 'bool', help: 'With --list, do not print the header line' },
    { name: 'quiet', short: 'q', type: 'bool', help: 'Print nothing; the exit code is 0 for yes and 1 for no' },
    { name: 'subresource', type: 'string', help: 'Subresource, such as log or scale' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<number | undefined> {
  const { flags, args, io, path } = invocation;
  const [listing, quiet, part] = [flags.bool('list'), flags.bool('quiet'), flags.text('subresource')];
  if (listing && (quiet || flags.bool('all-namespaces') || part !== ''))
    throw new CommandError("list option can't be specified with neither quiet, all-namespaces nor subresource options");
  if (flags.bool('no-headers') && !listing)
    throw new CommandError('--no-headers cannot be set without --list specified');
  if (listing) {
    if (args.length > 0) throw new CommandError('list option must be specified with no arguments');
    return list(invocation);
  }
  const [verb, what] = args;
  if (args.length !== 2 || verb === undefined || what === undefined)
    throw new CommandError(
      `you must specify two arguments: verb resource or verb resource/resourceName.\nSee '${path} -h' for help and examples.`,
    );
  if (what.startsWith('/') && part !== '') throw new CommandError('--subresource can not be used with NonResourceURL');
  const spec = await accessTo(invocation, verb, what);
  const { status } = await review<{ allowed?: boolean; reason?: string; evaluationError?: string }>(
    invocation,
    'SelfSubjectAccessReview',
    spec,
  );
  const allowed = status?.allowed === true;
  if (!quiet) {
    const reasons = [allowed ? 'yes' : 'no', ...(allowed ? [] : [status?.reason, status?.evaluationError])];
    io.out.write(`${reasons.filter(Boolean).join(' - ')}\n`);
  }
  return allowed ? undefined : 1;
}

/**
 * The question to the server about a verb and a type, `type/name` or path. Warns about words that the server does not
 * know.
 */
async function accessTo({ flags, session, io }: Invocation, verb: string, what: string): Promise<object> {
  const warn = (text: string) => io.err.write(`Warning: ${text}\n\n`);
  if (what.startsWith('/')) {
    if (!PATH_VERBS.has(verb)) warn(`verb '${verb}' is not a known verb`);
    return { nonResourceAttributes: { path: what, verb } };
  }
  if (!VERBS.has(verb)) warn(`verb '${verb}' is not a known verb`);
  const slash = what.indexOf('/');
  const [word, name] = slash < 0 ? [what, ''] : [what.slice(0, slash), what.slice(slash + 1)];
  const type = word === '*' ? undefined : await session.typeNamed(word);
  const dot = word.indexOf('.');
  const [resource, group] =
    type === undefined
      ? [dot < 0 ? word : word.slice(0, dot), dot < 0 ? '' : word.slice(dot + 1)].map((part) => part.toLowerCase())
      : [type.plural, type.group];
  const inGroup = group === '' ? '' : ` in group '${group}'`;
  if (type === undefined && word !== '*' && !VIRTUAL_TYPES.has(word.toLowerCase()))
    warn(`the server doesn't have a resource type '${resource}'${inGroup}`);
  const everywhere = flags.bool('all-namespaces');
  if (type?.namespaced === false && !everywhere) warn(`resource '${resource}' is not namespace scoped${inGroup}`);
  return {
    resourceAttributes: {
      ...(everywhere ? {} : { namespace: session.namespace }),
      ...{ verb, group: word === '*' ? '*' : group, resource },
      ...(flags.text('subresource') === '' ? {} : { subresource: flags.text('subresource') }),
      ...(name === '' ? {} : { name }),
    },
  };
}

interface Rules {
  readonly resourceRules?: readonly Rule[] | null;
  readonly nonResourceRules?: readonly Rule[] | null;
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
}

async function list(invocation: Invocation): Promise<undefined> {
  const { flags, session, io } = invocation;
  const { status } = await review<Rules>(invocation, 'SelfSubjectRulesReview', { namespace: session.namespace });
  if (status?.incomplete === true)
    io.err.write(`warning: the list may be incomplete: ${status.evaluationError ?? ''}\n`);
  const writer = new TabWriter();
  if (!flags.bool('no-headers')) writer.line(['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs']);
  for (const rule of singleRules([...(status?.resourceRules ?? []), ...(status?.nonResourceRules ?? [])])) {
    const { resource, group, path, name, verbs } = rule;
    const [parent = '', ...parts] = resource.split('/');
    const whole = [inGroup(parent, group), ...parts].join('/');
    writer.line([whole, `[${path}]`, `[${name}]`, `[${verbs.join(' ')}]`]);
  }
  io.out.write(writer.flush());
  return undefined;
}

async function review<S>(
  { session }: Invocation,
  kind: 'SelfSubjectAccessReview' | 'SelfSubjectRulesReview',
  spec: object,
): Promise<{ readonly status?: S }> {
  const client = await session.client();
  const group = client.naming.group('authorization');
  const answer = await client.call({
    method: 'POST',
    path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: formatJson({ apiVersion: `${group}/v1`, kind, metadata: {}, spec }),
  });
  return parseJson(answer.text) as unknown as ApiObject as { readonly status?: S };
}
