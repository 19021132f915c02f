import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { toYaml } from '../output/yaml.ts';

export const kustomize: Command = {
  name: 'kustomize',
  short: 'Build a kustomization target from a directory',
  long: "Build a set of objects from a file 'kustomization.yaml'. DIR is a folder that holds one; if it is omitted, '.' is assumed.\n\n Nothing is read from other machines, and no server is asked.",
  examples: ['# This folder', '{} kustomize', '', '# Another one', '{} kustomize overlays/production'].join('\n'),
  usage: 'DIR',
  flags: [{ name: 'output', short: 'o', type: 'string', help: 'File to write to, in place of the output' }],
  async run({ args, flags, io }) {
    if (args.length > 1) throw new CommandError('specify one path to kustomization.yaml');
    const { buildKustomization } = await import('../kustomize/build.ts');
    const built = (await buildKustomization(args[0] ?? '.')).map(toYaml).join('---\n');
    const file = flags.text('output');
    if (file === '') io.out.write(built);
    else await (await import('node:fs/promises')).writeFile(file, built);
    return undefined;
  },
};
