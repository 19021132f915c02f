import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { randomSuffix } from '#base/text/random-suffix.ts';
import type { StrategicPatch } from '#client/changes.ts';
import { ApiError } from '#client/errors.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { Container, EnvVar, Pod, PodSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { containersOf } from '../../streams/containers.ts';
import { podsOf } from '../../streams/pod-of.ts';
import { threeWayPatch } from '../../write/three-way-patch.ts';
import { customized } from './custom-profile.ts';
import { openNode, type Profile, secure } from './profiles.ts';

/** The values of the flags. */
export interface Debugging {
  readonly profile: Profile;
  readonly custom: JsonObject | undefined;
  /** The command of the container. An empty list means the command of its image. */
  readonly words: readonly string[];
  readonly env: readonly EnvVar[];
  /** New images for a copy, by the name of the container. The image of `*` applies to all other containers. */
  readonly images: ReadonlyMap<string, string>;
}

/** A pod for debugging, and the name of its container. Without a name, only images were changed. */
export interface Place {
  readonly pod: Pod;
  readonly container: string | undefined;
}

/** Creates a pod for debugging on a node. */
export async function debugNode(invocation: Invocation, node: ApiObject, debugging: Debugging): Promise<Place> {
  const { flags, io, session } = invocation;
  const on = node.metadata.name!;
  const container = flags.text('container') || 'debugger';
  const name = `node-debugger-${on}-${randomSuffix()}`;
  if (!flags.bool('quiet')) io.out.write(`Creating debugging pod ${name} with container ${container} on node ${on}.\n`);
  const own = newContainer(invocation, container, debugging);
  const spec: PodSpec = {
    nodeName: on,
    restartPolicy: 'Never',
    tolerations: [{ operator: 'Exists' }],
    containers: [own],
  };
  secure(own, debugging.profile, 'node');
  openNode(spec, own, debugging.profile);
  if (debugging.custom !== undefined) spec.containers = [await customized(session, own, debugging.custom)];
  const pods = await podsOf(session);
  return { pod: await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }), container };
}

/** Adds an ephemeral container to a running pod. */
export async function debugInPlace(invocation: Invocation, pod: Pod, debugging: Debugging): Promise<Place> {
  const { flags, session } = invocation;
  const name = nameFor(invocation, pod);
  let own = newContainer(invocation, name, debugging);
  secure(own, debugging.profile, 'ephemeral');
  if (debugging.custom !== undefined) own = await customized(session, own, debugging.custom);
  const target = flags.text('target');
  const added = { ...own, ...(target === '' ? {} : { targetContainerName: target }) };
  const changed = cloneJson(pod);
  changed.spec!.ephemeralContainers = [...(pod.spec?.ephemeralContainers ?? []), added];
  const message = loadSchema(await session.naming()).kind('', 'v1', 'Pod');
  const [from, to] = [pod, changed] as unknown as [JsonObject, JsonObject];
  const patch = threeWayPatch(from, to, from, shapeOf(message)) as StrategicPatch<Pod>;
  const pods = await podsOf(session, pod.metadata.namespace);
  const patched = await pods
    .patch(pod.metadata.name!, 'strategic', patch, { subresource: 'ephemeralcontainers' })
    .catch((error: unknown) => {
      // An answer about a missing pod names the pod. Without a name, the server does not have the subresource.
      if (error instanceof ApiError && error.reason === 'NotFound' && !error.status.details?.name)
        throw new CommandError(
          `ephemeral containers are disabled for this cluster (error from server: ${JSON.stringify(error.status.message ?? '')})`,
        );
      throw error;
    });
  return { pod: patched, container: name };
}

/** Copies a pod with an added or a changed container. @throws CommandError if the named container does not exist */
export async function debugCopy(invocation: Invocation, pod: Pod, debugging: Debugging): Promise<Place> {
  const { flags, session } = invocation;
  const place = await copyOf(invocation, pod, debugging);
  const pods = await podsOf(session, pod.metadata.namespace);
  const created = await pods.create(place.pod);
  if (flags.bool('replace')) await pods.delete(pod.metadata.name!, { gracePeriodSeconds: 0 });
  return { pod: created, container: place.container };
}

async function copyOf(invocation: Invocation, pod: Pod, debugging: Debugging): Promise<Place> {
  const { flags, session } = invocation;
  const { annotations, labels, namespace } = pod.metadata;
  const metadata = {
    name: flags.text('copy-to'),
    ...(namespace === undefined ? {} : { namespace }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(labels === undefined ? {} : { labels }),
  };
  const copy: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: cloneJson(pod.spec!) };
  const spec = copy.spec!;
  const containers = (spec.containers ??= []);
  delete spec.ephemeralContainers;
  if (flags.has('share-processes')) spec.shareProcessNamespace = flags.bool('share-processes');
  if (!flags.bool('same-node')) delete spec.nodeName;
  for (const one of containers) {
    const image = debugging.images.get(one.name) ?? debugging.images.get('*');
    if (image) one.image = image;
  }
  const wanted = flags.text('container');
  let own = containersOf(copy).find(({ name }) => name === wanted);
  if (own === undefined) {
    if (flags.text('image') === '') {
      if (debugging.images.size > 0) return { pod: copy, container: undefined };
      throw new CommandError('you must specify image when creating new container');
    }
    own = { name: wanted || nameFor(invocation, copy), terminationMessagePolicy: 'File' };
    containers.push(own);
  }
  change(invocation, own, debugging);
  if (debugging.profile.trimsCopies) trim(copy, flags);
  else delete copy.metadata.labels;
  // The container may be an init container, which `trim` has removed.
  const { name } = own;
  secure(own, debugging.profile, 'copy');
  if (debugging.custom !== undefined) {
    const at = containers.findIndex((one) => one.name === name);
    if (at < 0) throw new CommandError(`unable to find the ${name} container in the pod ${copy.metadata.name}`);
    containers[at] = await customized(session, containers[at]!, debugging.custom);
  }
  return { pod: copy, container: name };
}

/** Removes from a copy all fields that no `--keep-` flag retains. */
function trim({ metadata, spec }: Pod, flags: Invocation['flags']): void {
  if (!flags.bool('keep-labels')) delete metadata.labels;
  if (!flags.bool('keep-annotations')) delete metadata.annotations;
  for (const container of spec!.containers ?? [])
    for (const probe of ['liveness', 'readiness', 'startup'] as const)
      if (!flags.bool(`keep-${probe}`)) delete container[`${probe}Probe`];
  if (!flags.bool('keep-init-containers')) delete spec!.initContainers;
  spec!.shareProcessNamespace ??= true;
}

function newContainer(invocation: Invocation, name: string, debugging: Debugging): Container {
  const container: Container = { name, terminationMessagePolicy: 'File' };
  change(invocation, container, debugging);
  return container;
}

/** Sets fields of a container from the flags. */
function change({ flags }: Invocation, container: Container, { words, env }: Debugging): void {
  if (words.length > 0 && flags.bool('arguments-only')) container.args = [...words];
  else if (words.length > 0) {
    container.command = [...words];
    delete container.args;
  }
  if (env.length > 0) container.env = [...env];
  if (flags.text('image') !== '') container.image = flags.text('image');
  if (flags.text('image-pull-policy') !== '') container.imagePullPolicy = flags.text('image-pull-policy');
  for (const name of ['stdin', 'tty'] as const)
    if (flags.bool(name)) container[name] = true;
    else delete container[name];
}

/** The name for the container. If the flag names none, the function makes a new name and prints it. */
function nameFor({ flags, io }: Invocation, pod: Pod): string {
  if (flags.text('container') !== '') return flags.text('container');
  const taken = new Set(containersOf(pod).map(({ name }) => name));
  let name: string;
  do name = `debugger-${randomSuffix()}`;
  while (taken.has(name));
  if (!flags.bool('quiet')) io.out.write(`Defaulting debug container name to ${name}.\n`);
  return name;
}
