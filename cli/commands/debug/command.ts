import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { fileFlags, namesFiles } from '../../resources/flags.ts';
import { select } from '../../resources/selection.ts';
import { attachOrShowLog, showLog } from '../../streams/attach-or-show-log.ts';
import { completePods } from '../../streams/complete.ts';
import { followPod } from '../../streams/follow-pod.ts';
import { namedObject } from '../../streams/pod-of.ts';
import { isReference } from '../run/image-reference.ts';
import { pullPolicyFlag, wrongPullPolicy } from '../run/pull-policy.ts';
import { checkCustomProfile, readCustomProfile } from './custom-profile.ts';
import { type Debugging, debugCopy, debugInPlace, debugNode, type Place } from './debug-pods.ts';
import { PROFILES } from './profiles.ts';

const keep = (what: string, help: string, kept = false) =>
  ({ name: `keep-${what}`, type: 'bool', default: kept, help: `With --copy-to: keep ${help}` }) as const;

export const debug: Command = {
  name: 'debug',
  short: 'Create debugging sessions for troubleshooting workloads and nodes',
  long: "Starts a container with tools to debug a workload or a node: an ephemeral container in a running pod; a container in a copy of a pod, which can differ in other fields too; or a new pod on a node, with the node's files in /host.",
  examples: [
    '# A shell in a pod',
    '{} debug mypod -it --image=busybox',
    '',
    '# A shell in a copy of a pod, which may be broken',
    '{} debug mypod -it --image=busybox --copy-to=my-debugger',
    '',
    '# A copy in which a container runs another command',
    '{} debug mypod -it --copy-to=my-debugger --container=mycontainer -- sh',
    '',
    '# A copy with other images',
    '{} debug mypod --copy-to=my-debugger --set-image=*=busybox',
    '',
    '# A shell on a node',
    '{} debug node/mynode -it --image=busybox',
  ].join('\n'),
  usage: '(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]',
  flags: [
    {
      name: 'arguments-only',
      type: 'bool',
      help: 'Use the words after -- as arguments of the container, not as its command',
    },
    { name: 'attach', type: 'bool', help: 'Attach to the container when it runs; -i does this too' },
    {
      name: 'container',
      short: 'c',
      type: 'string',
      help: 'Name of the debug container; by default a generated name, or with --copy-to a container to change',
    },
    { name: 'copy-to', type: 'string', help: 'Create a copy of the pod with this name' },
    {
      name: 'custom',
      type: 'string',
      help: 'File with fields of the container (JSON or YAML) that override the profile',
    },
    { name: 'env', type: 'map', help: 'Environment variable of the container: name=value; may be repeated' },
    ...fileFlags.filter(({ name }) => name === 'filename'),
    { name: 'image', type: 'string', help: 'Image of the container' },
    pullPolicyFlag,
    keep('annotations', 'the annotations of the pod'),
    keep('init-containers', 'the init containers of the pod', true),
    keep('labels', 'the labels of the pod'),
    keep('liveness', 'liveness probes'),
    keep('readiness', 'readiness probes'),
    keep('startup', 'startup probes'),
    {
      name: 'profile',
      type: 'string',
      default: 'legacy',
      help: `Profile of what the container may do: ${[...PROFILES.keys()].join(', ')}`,
    },
    { name: 'quiet', short: 'q', type: 'bool', help: 'Print only the output of the container' },
    { name: 'replace', type: 'bool', help: 'With --copy-to: delete the original pod' },
    { name: 'same-node', type: 'bool', help: 'With --copy-to: run the copy on the node of the original pod' },
    {
      name: 'set-image',
      type: 'map',
      help: 'With --copy-to: new images, as container=image, or *=image for all other containers',
    },
    {
      name: 'share-processes',
      type: 'bool',
      default: true,
      help: 'With --copy-to: let the containers see the processes of each other',
    },
    { name: 'stdin', short: 'i', type: 'bool', help: 'Keep standard input of the container open, and attach to it' },
    { name: 'target', type: 'string', help: 'Container of the pod whose processes the new container sees' },
    { name: 'tty', short: 't', type: 'bool', help: 'Allocate a terminal (TTY) for the container' },
  ],
  complete: completePods,
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, beforeDash, io } = invocation;
  const [words, command] =
    beforeDash !== undefined && args.length > beforeDash
      ? [args.slice(0, beforeDash), args.slice(beforeDash)]
      : [args, []];
  const attach = flags.has('attach') ? flags.bool('attach') : flags.bool('stdin');
  const profile = PROFILES.get(flags.text('profile'));
  if (profile === undefined) throw new CommandError(`unknown profile: ${flags.text('profile')}`);
  const custom = await readCustomProfile(flags.text('custom'));
  const images = flags.map('set-image');
  checkFlags(invocation, words, command, images);
  checkCustomProfile(custom);
  if (flags.text('profile') === 'legacy')
    io.err.write(
      '--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a profile, for example "--profile=general".\n',
    );
  const env = [...flags.map('env')].map(([name, value]) => ({ name, value }));
  for await (const object of objectsOf(invocation, words)) {
    const place = await debugObject(invocation, object, { profile, custom, words: command, env, images });
    if (attach && place.container !== undefined) await join(invocation, place.pod, place.container);
  }
  return undefined;
}

/** @throws CommandError for flags that exclude or require each other */
function checkFlags(
  { flags, io }: Invocation,
  words: readonly string[],
  command: readonly string[],
  images: ReadonlyMap<string, string>,
): void {
  const fail = (text: string): never => {
    throw new CommandError(text);
  };
  const [image, container, target] = [flags.text('image'), flags.text('container'), flags.text('target')];
  const copies = flags.text('copy-to') !== '';
  if (flags.has('attach') && flags.bool('attach') && image === '' && container === '')
    fail('you must specify --container or create a new container using --image in order to attach.');
  if (copies && image === '' && images.size === 0 && command.length === 0)
    fail('you must specify --image, --set-image or command arguments.');
  if (copies && command.length > 0 && container === '' && image === '')
    fail('you must specify an existing container or a new image when specifying args.');
  if (!copies) {
    if (flags.bool('replace')) fail('--replace may only be used with --copy-to.');
    if (flags.bool('same-node')) fail('--same-node may only be used with --copy-to.');
    if (images.size > 0) fail('--set-image may only be used with --copy-to.');
    if (image === '') fail('you must specify --image when not using --copy-to.');
  }
  if (image !== '' && !isReference(image))
    fail(`invalid image name ${JSON.stringify(image)}: invalid reference format`);
  if (words.length === 0 && !namesFiles(flags)) fail('NAME or filename is required for debug');
  const wrongPolicy = wrongPullPolicy(flags.text(pullPolicyFlag.name));
  if (wrongPolicy !== undefined) fail(wrongPolicy);
  for (const [name, wanted] of images)
    if (!isReference(wanted))
      fail(
        `invalid image name ${JSON.stringify(wanted)} for container ${JSON.stringify(name)}: invalid reference format`,
      );
  if (target !== '') {
    if (copies) fail('--target is incompatible with --copy-to. Use --share-processes instead.');
    if (!flags.bool('quiet'))
      io.out.write(
        `Targeting container ${JSON.stringify(target)}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
      );
  }
  if (flags.bool('tty') && !flags.bool('stdin')) fail('-i/--stdin is required for containers with -t/--tty=true');
}

/** The targets of the command, one after the other. */
async function* objectsOf(invocation: Invocation, words: readonly string[]): AsyncGenerator<ApiObject, void, void> {
  const { flags, session } = invocation;
  if (namesFiles(flags)) {
    if (words.length > 0) throw new CommandError('resource/name arguments cannot be provided when a path is specified');
    const { targets, errors } = await select(session, flags, { args: words });
    throwAll(errors);
    for (const { object } of targets) if (object !== undefined) yield object;
    return;
  }
  for (const word of words) {
    const { object } = await namedObject(session, word);
    yield object;
  }
}

/** @throws CommandError if the object is neither a pod nor a node */
async function debugObject(invocation: Invocation, object: ApiObject, debugging: Debugging): Promise<Place> {
  const { apiVersion = '', kind = '' } = object;
  if (apiVersion === 'v1' && kind === 'Node') return debugNode(invocation, object, debugging);
  if (apiVersion !== 'v1' || kind !== 'Pod') {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw new CommandError(`"${version}, Kind=${kind}" not supported by debug`);
  }
  const pod = object as unknown as Pod;
  return invocation.flags.text('copy-to') === ''
    ? debugInPlace(invocation, pod, debugging)
    : debugCopy(invocation, pod, debugging);
}

/** Attaches to the container when it runs. If the container has ended, shows its log. */
async function join(invocation: Invocation, { metadata }: Pod, container: string): Promise<void> {
  const { flags, io } = invocation;
  const stateIn = ({ status }: Pod) =>
    [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
      ...(status?.ephemeralContainerStatuses ?? []),
    ].find(({ name }) => name === container)?.state;
  let warned = '';
  const started = await followPod(invocation, metadata, Number.POSITIVE_INFINITY, (pod) => {
    const { running, terminated, waiting } = stateIn(pod) ?? {};
    if (running || terminated) return true;
    const why = waiting?.message ?? '';
    if (why !== '' && why !== warned && !flags.bool('quiet')) io.err.write(`Warning: container ${container}: ${why}\n`);
    warned = why;
    return false;
  });
  if (stateIn(started)?.terminated) await showLog(invocation, started, container);
  else await attachOrShowLog(invocation, started, container);
}
