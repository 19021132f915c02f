import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { toYaml } from '../../output/yaml.ts';

const RESTRICTORS = ['LoadRestrictionsRootOnly', 'LoadRestrictionsNone'];

export const kustomize: Command = {
  name: 'kustomize',
  short: 'Build a kustomization target from a directory',
  long: "Build a set of objects from a file 'kustomization.yaml'. DIR is a folder that holds one; if it is omitted, '.' is assumed.\n\n The command reads only local files, and sends no request to a server.",
  examples: [
    '# Build this folder',
    '{} kustomize',
    '',
    '# Build another folder',
    '{} kustomize overlays/production',
  ].join('\n'),
  usage: 'DIR',
  flags: [
    { name: 'output', short: 'o', type: 'string', help: 'File to write the objects to, instead of standard output' },
    {
      name: 'load-restrictor',
      type: 'string',
      default: 'LoadRestrictionsRootOnly',
      help: 'LoadRestrictionsNone also allows files outside of the folder',
    },
    { name: 'enable-helm', type: 'bool', help: 'Not supported, because charts need another program' },
  ],
  async run({ args, flags, io }) {
    if (args.length > 1) throw new CommandError('specify one path to kustomization.yaml');
    const { buildKustomization } = await import('../../kustomize/build.ts');
    const restrictor = flags.text('load-restrictor');
    if (!RESTRICTORS.includes(restrictor))
      throw new CommandError(
        `illegal flag value --load-restrictor ${restrictor}; legal values: ${JSON.stringify(RESTRICTORS)}`,
      );
    if (flags.bool('enable-helm'))
      throw new CommandError(
        '--enable-helm is not supported: write the output of the chart program to a file, and list that file',
      );
    const warn = (text: string) => io.err.write(`${text}\n`);
    const building = { anywhere: restrictor === RESTRICTORS[1], warn };
    const built = (await buildKustomization(args[0] ?? '.', building)).map(toYaml).join('---\n');
    const file = flags.text('output');
    if (file === '') io.out.write(built);
    else await (await import('node:fs/promises')).writeFile(file, built);
    return undefined;
  },
};
