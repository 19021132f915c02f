import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import { fieldManagerFlag, fileFlags, namesFiles } from '../../resources/flags.ts';
import { detachKeysFlag } from '../../streams/detach-keys.ts';
import { asTyped, declaredKind } from '../../typed/typed-object.ts';
import { recorded, recordFlag } from '../../write/change-cause.ts';
import { type DryRun, dryRunOf } from '../../write/dry-run.ts';
import { parseLabels } from '../../write/labels.ts';
import { lastApplied, typedConfigurationOf } from '../../write/last-applied.ts';
import { overriddenObject, overrideFlags } from '../../write/overrides.ts';
import { type Report, reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { createFlags, requireFlags } from '../create/generator.ts';
import { cascadeFlag, cascadeOf } from '../delete/manner.ts';
import { mistakeInImage } from './image-reference.ts';
import { pullPolicyFlag, wrongPullPolicy } from './pull-policy.ts';
import { remove } from './remove.ts';

export const run: Command = {
  name: 'run',
  required: ['image'],
  short: 'Run a particular image on the cluster',
  long: 'Creates a pod that runs an image, and with -i or --attach attaches to its input and output.',
  examples: [
    '# A pod of an image, with a port',
    '{} run web --image=nginx --port=80',
    '',
    '# Only show what would be created',
    '{} run web --image=nginx --dry-run=client -o yaml',
    '',
    '# A shell in a pod that is deleted afterwards',
    '{} run -it shell --image=busybox --rm --restart=Never -- sh',
    '',
    '# Run another command than the command of the image',
    '{} run web --image=nginx --command -- serve --port 80',
  ].join('\n'),
  usage:
    'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  flags: [
    { name: 'annotations', type: 'texts', help: 'Annotation of the pod: key=value; may be repeated' },
    { name: 'attach', type: 'bool', help: 'Attach to the container when it runs; -i does this too' },
    cascadeFlag,
    {
      name: 'command',
      type: 'bool',
      help: 'Use the words after -- as the command of the container, not as its arguments',
    },
    detachKeysFlag,
    { name: 'env', type: 'texts', help: 'Environment variable of the container: name=value; may be repeated' },
    { name: 'expose', type: 'bool', help: 'Create a service for the port as well' },
    ...fileFlags,
    { name: 'force', type: 'bool', help: 'With --rm: delete the pod immediately; its processes may still run' },
    {
      name: 'grace-period',
      type: 'int',
      default: -1,
      help: 'With --rm: seconds for the pod to stop; a negative value uses the grace period of the pod',
    },
    { name: 'image', type: 'string', help: 'Image of the container' },
    pullPolicyFlag,
    { name: 'labels', short: 'l', type: 'string', help: 'Labels of the pod: key=value,key=value' },
    { name: 'leave-stdin-open', type: 'bool', help: 'Keep standard input open after the first client disconnects' },
    ...overrideFlags,
    { name: 'pod-running-timeout', type: 'duration', default: '1m0s', help: 'Time limit for the start of the pod' },
    { name: 'port', type: 'string', help: 'Port that the container listens on' },
    { name: 'privileged', type: 'bool', help: 'Run the container in privileged mode' },
    { name: 'quiet', short: 'q', type: 'bool', help: 'Print only the output of the container' },
    { name: 'restart', type: 'string', default: 'Always', help: 'Restart policy: Always, OnFailure or Never' },
    { name: 'rm', type: 'bool', help: 'Delete the pod after the attached command ends' },
    { name: 'stdin', short: 'i', type: 'bool', help: 'Keep standard input of the container open, and attach to it' },
    { name: 'timeout', type: 'duration', help: 'With --rm: time limit for the deletion; 0 means no limit' },
    { name: 'tty', short: 't', type: 'bool', help: 'Allocate a terminal (TTY) for the container' },
    { name: 'wait', type: 'bool', help: 'With --rm: wait until the pod is deleted' },
    recordFlag,
    ...createFlags
      .filter(({ name }) => name !== 'validate')
      .map((flag) => (flag.name === 'field-manager' ? fieldManagerFlag('orchctl-run') : flag)),
  ],
  run: runImage,
};

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

async function runImage(invocation: Invocation): Promise<number | undefined> {
  const { flags, args } = invocation;
  requireFlags(invocation);
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun, true);
  const attach = flags.has('attach') ? flags.bool('attach') : flags.bool('stdin');
  const propagationPolicy = cascadeOf(invocation);
  if (args.length === 0) throw new UsageError('NAME is required for run');
  checkFlags(invocation, attach, dryRun);
  if (args[0] === '') throw new CommandError('Parameter: name is required');
  const created: Made[] = [];
  try {
    const maker = { invocation, dryRun, report };
    const pod = await make(maker, podOf(args[0]!, args.slice(1), invocation), '-run');
    created.push(pod);
    const errors: unknown[] = [];
    if (flags.bool('expose'))
      await make(maker, serviceOf(pod.object, invocation), '-run').then(
        (service) => {
          created.push(service);
          report(service.object, service.type, 'created');
          if (flags.text('output') === 'yaml') invocation.io.out.write('---\n');
        },
        (error: unknown) => errors.push(error),
      );
    if (attach) {
      const { attachToRun } = await import('./attach-to-run.ts');
      return await attachToRun(invocation, pod.object);
    }
    report(pod.object, pod.type, 'created');
    throwAll(errors);
    return undefined;
  } finally {
    if (flags.bool('rm'))
      for (const { object, type } of created) await remove(invocation, { type, object }, propagationPolicy);
  }
}

/** @throws CommandError for flags that exclude each other, UsageError for wrong arguments */
function checkFlags({ flags }: Invocation, attach: boolean, dryRun: DryRun): void {
  if (namesFiles(flags) || flags.bool('recursive'))
    throw new UsageError('a pod is made of what the flags say: use "orchctl create -f" for what files hold');
  if (flags.duration('pod-running-timeout') <= 0)
    throw new UsageError('--pod-running-timeout must be higher than zero');
  const image = flags.text('image');
  if (image === '') throw new CommandError('--image is required');
  const mistake = mistakeInImage(image);
  if (mistake !== undefined) throw new CommandError(`Invalid image name ${JSON.stringify(image)}: ${mistake}`);
  if (flags.bool('tty') && !flags.bool('stdin'))
    throw new UsageError('-i/--stdin is required for containers with -t/--tty=true');
  if (flags.bool('expose') && flags.text('port') === '')
    throw new UsageError('--port must be set when exposing a service');
  const restart = flags.text('restart');
  if (restart !== '' && !RESTART_POLICIES.includes(restart)) throw new UsageError(`invalid restart policy: ${restart}`);
  if (flags.bool('rm') && !attach) throw new UsageError('--rm should only be used for attached containers');
  if (attach && dryRun !== 'none')
    throw new UsageError(
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  const wrongPolicy = wrongPullPolicy(flags.text(pullPolicyFlag.name));
  if (wrongPolicy !== undefined) throw new UsageError(wrongPolicy);
}

/** @throws CommandError for a wrong value of a flag */
function podOf(name: string, args: readonly string[], { flags }: Invocation): ApiObject {
  const env = flags.list('env').map(variable);
  const labels = flags.text('labels') === '' ? { run: name } : parseLabels(flags.text('labels'));
  const annotations = Object.fromEntries(flags.list('annotations').map(annotation));
  const stdin = flags.bool('stdin');
  const port = flags.text('port');
  if (port !== '' && !/^[+-]?\d+$/.test(port))
    throw new CommandError(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
  const words = args.length === 0 ? {} : flags.bool('command') ? { command: [...args] } : { args: [...args] };
  const container = {
    name,
    image: flags.text('image'),
    ...words,
    ports: port === '' ? [] : [{ containerPort: Number(port) }],
    env,
    imagePullPolicy: flags.text('image-pull-policy'),
    ...(flags.bool('privileged') ? { securityContext: { privileged: true } } : {}),
    ...{ stdin, stdinOnce: stdin && !flags.bool('leave-stdin-open'), tty: flags.bool('tty') },
  };
  return asObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, annotations },
    spec: { containers: [container], dnsPolicy: 'ClusterFirst', restartPolicy: flags.text('restart') || 'Always' },
  });
}

/** The allowed names of variables. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

function variable(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(0, at));
  if (at <= 0 || !IDENTIFIER.test(name)) throw new CommandError(`invalid env: ${text}`);
  return { name, value: text.slice(at + 1) };
}

function annotation(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new CommandError(`invalid annotations format: ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function serviceOf({ metadata }: ApiObject, { flags }: Invocation): ApiObject {
  const port = Number(flags.text('port'));
  return asObject({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: metadata.name, ...(flags.text('labels') === '' ? {} : { labels: metadata.labels }) },
    spec: { ports: [{ port, protocol: 'TCP', targetPort: port }], selector: metadata.labels },
  });
}

interface Maker {
  readonly invocation: Invocation;
  readonly dryRun: DryRun;
  readonly report: Report;
}

interface Made {
  readonly object: ApiObject;
  readonly type: DiscoveredType;
}

/** Creates an object, unless a flag asks only to show it. */
async function make({ invocation, dryRun }: Maker, wanted: ApiObject, manager: string): Promise<Made> {
  const { flags, session } = invocation;
  const { namespace, settings } = session;
  const type = await session.typeOf('v1', wanted.kind!);
  const declared = await declaredKind(session, wanted);
  if (type === undefined || declared === undefined) throw new CommandError(`the server has no kind "${wanted.kind}"`);
  let object = asTyped(wanted, declared);
  if (wanted.kind === 'Pod') object = overriddenObject(object, declared, flags);
  object = asTyped(await recorded(invocation, object), declared);
  if (dryRun === 'client') {
    const place = settings.namespaceGiven ? { namespace } : {};
    return { type, object: asTyped({ ...object, metadata: { ...object.metadata, ...place } }, declared) };
  }
  if (flags.bool('save-config')) object = await lastApplied(session).put(object, typedConfigurationOf(object));
  const options = await writeOptions(invocation, manager, dryRun);
  const resource = (await session.client()).resource(type).in(namespace);
  return { type, object: asTyped((await resource.create(object, options)) as ApiObject, declared) };
}
