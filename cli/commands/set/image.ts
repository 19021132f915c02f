import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { labelSelectorFlag, namesFiles } from '../../resources/flags.ts';
import { recordFlag } from '../../write/change-cause.ts';
import { changeObjects, setFlags } from './change-objects.ts';
import { type PodSpec, podSpecOf } from './containers.ts';

export const setImage: Command = {
  name: 'image',
  short: 'Update the image of a pod template',
  examples:
    "# Change the image of one container, and of all containers\n{} set image deployment/web web=nginx:1.27\n{} set image deployment/web '*=nginx:1.27'",
  usage: '(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N',
  flags: [...setFlags, labelSelectorFlag, recordFlag],
  run: async (invocation) => {
    const { args, flags } = invocation;
    const changes = args.filter((word) => word.includes('='));
    const words = args.filter((word) => !word.includes('='));
    if (
      changes.length === 0 &&
      (words.length > 0 || namesFiles(flags)) &&
      !words.some((word) => word.includes('/') && words.length > 1)
    )
      throw new CommandError('at least one image update is required');
    const images = new Map(changes.map((change) => splitOnce(change)));
    return changeObjects(invocation, words, {
      done: 'image updated',
      failure: 'failed to patch image update to pod template:',
      apply: (object, one, fail) => setImages(podSpecOf(object, one), images, fail),
    });
  },
};

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Sets images of containers. Errors about missing containers are passed to `fail`. */
function setImages(
  { containers, initContainers = [] }: PodSpec,
  images: ReadonlyMap<string, string>,
  fail: (error: CommandError) => void,
): void {
  const all = [...containers, ...initContainers];
  for (const name of images.keys())
    if (name !== '*' && !all.some((container) => container.name === name))
      fail(new CommandError(`error: unable to find container named "${name}"`, { plain: true }));
  for (const container of all) {
    const image = images.get(container.name) ?? images.get('*');
    if (image !== undefined) container.image = image;
  }
}
