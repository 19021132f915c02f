import { type Command, entryOf } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { type Container, type Containers, containerFlags, patchContainers, splitWords } from '../set/containers.ts';
import { setEnv } from '../set/env.ts';

const setImage: Command = {
  name: 'image',
  short: 'Update the image of a pod template',
  examples:
    "# One container, and all of them\n{} set image deployment/web web=nginx:1.27\n{} set image deployment/web '*=nginx:1.27'",
  usage: '(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N',
  flags: containerFlags,
  run: async (invocation) => {
    const { args, flags } = invocation;
    const [words, changes] = splitWords(args, (word) => word.includes('='));
    if (
      changes.length === 0 &&
      (words.length > 0 || flags.list('filename').length > 0) &&
      !words.some((word) => word.includes('/') && words.length > 1)
    )
      throw new CommandError('at least one image update is required');
    const images = new Map(changes.map((change) => splitOnce(change)));
    return patchContainers(invocation, words, 'image', (pods) => imagePatch(pods, images));
  },
};

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws CommandError for a container that is not there */
function imagePatch(pods: Containers, images: ReadonlyMap<string, string>): Containers | undefined {
  const patch = (list: readonly Container[] = []) =>
    list.flatMap(({ name, image }) => {
      const wanted = images.get(name) ?? images.get('*');
      return wanted === undefined || wanted === image ? [] : [{ name, image: wanted }];
    });
  const names = new Set([...(pods.containers ?? []), ...(pods.initContainers ?? [])].map(({ name }) => name));
  for (const name of images.keys())
    if (name !== '*' && !names.has(name)) throw new CommandError(`unable to find container named "${name}"`);
  const [containers, initContainers] = [patch(pods.containers), patch(pods.initContainers)];
  if (containers.length + initContainers.length === 0) return undefined;
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(initContainers.length === 0 ? {} : { initContainers }),
  };
}

export const set: Command = {
  name: 'set',
  short: 'Set specific features on objects',
  long: 'Configure application resources.\n\n These commands help you make changes to existing application resources.',
  usage: 'SUBCOMMAND',
  needsSubcommand: true,
  subcommands: [setEnv, setImage].map(entryOf),
};
