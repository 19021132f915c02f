import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command } from '../../command-line/command.ts';
import { ask } from '../../framework/ask.ts';
import { CommandError } from '../../framework/errors.ts';
import { outputFlags, printerFor, typedJson } from '../../output/printer.ts';
import { asPreference, fileToChange, readFields, writePreference } from './file.ts';

/** The content of the first file for users who have none. It has safer forms of two commands. */
const RECOMMENDED = {
  defaults: [
    { command: 'apply', options: [{ name: 'server-side', default: 'true' }] },
    { command: 'delete', options: [{ name: 'interactive', default: 'true' }] },
  ],
};

export const view: Command = {
  name: 'view',
  short: 'Display the current kuberc configuration',
  long: 'Display the content of the preferences file. If you have none, the command offers to write one.',
  examples: [
    '# Show the preferences as YAML, and as JSON',
    '{} kuberc view',
    '{} kuberc view --output json',
    '',
    '# Show another file',
    '{} kuberc view --kuberc /path/to/kuberc',
  ].join('\n'),
  flags: outputFlags().map((flag) => (flag.name === 'output' ? { ...flag, default: 'yaml' } : flag)),
  run: async ({ flags, io }) => {
    const { file, explicit } = fileToChange(flags, io);
    let fields = readFields(file);
    if (fields === undefined) {
      if (explicit) throw new CommandError(`kuberc file not found at ${file}`);
      io.out.write(`kuberc file not found at ${file}\n`);
      const question = 'Would you like to generate a default kuberc file with recommended options? (y/N): ';
      const answer = await ask(io, io.out, question);
      if (answer.toLowerCase() === 'y') writePreference(RECOMMENDED, file, io);
      return undefined;
    }
    fields = asPreference({ ...fields, aliases: fields['aliases'] ?? [], defaults: fields['defaults'] ?? [] }, file);
    const printer = flags.text('output') === 'json' ? typedJson(flags) : (await printerFor(flags))!;
    io.out.write(printer.print(fields as unknown as ApiObject));
    return undefined;
  },
};
