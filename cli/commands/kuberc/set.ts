import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import type { Alias, CommandDefaults, Option } from '../../preferences/preferences.ts';
import type { PreferenceFields } from '../../preferences/read-preferences.ts';
import { fileToChange, readFields, writePreference } from './file.ts';

export const set: Command = {
  name: 'set',
  short: 'Set values in the kuberc configuration',
  long: [
    'Change the preferences file.',
    '',
    ' --section names the part to change: "defaults" are default values for flags of a command, "aliases" are names for a command with flags and arguments, "credentialplugin" sets which credential plug-ins may run.',
  ].join('\n'),
  examples: [
    '# Show more columns by default',
    '{} kuberc set --section defaults --command get --option output=wide',
    '',
    '# Define an alias for a command with arguments',
    '{} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide',
    '',
    '# Allow only one credential plug-in',
    '{} kuberc set --section credentialplugin --policy Allowlist --allowlist-entry command=cloud-credential-helper',
  ].join('\n'),
  usage: '--section (defaults|aliases) --command COMMAND',
  required: ['section'],
  flags: [
    {
      name: 'allowlist-entry',
      type: 'texts',
      help: 'Program that may run as a credential plug-in: command=NAME; may be repeated',
    },
    {
      name: 'appendarg',
      type: 'texts',
      help: 'Argument that the alias adds after the arguments of the command line; may be repeated',
    },
    { name: 'command', type: 'string', help: 'Command of the defaults or of the alias, such as get or "set env"' },
    { name: 'name', type: 'string', help: 'Name of the alias' },
    { name: 'option', type: 'texts', help: 'Default value of a flag: flag=value; may be repeated' },
    { name: 'overwrite', type: 'bool', help: 'Replace an entry that already exists' },
    {
      name: 'policy',
      type: 'string',
      help: 'Which programs may run as credential plug-ins: AllowAll, DenyAll or Allowlist',
    },
    {
      name: 'prependarg',
      type: 'texts',
      help: 'Argument that the alias adds before the arguments of the command line; may be repeated',
    },
    { name: 'section', type: 'string', help: "Section to change: 'defaults', 'aliases' or 'credentialplugin'" },
  ],
  run: async ({ flags, io }) => {
    const { file } = fileToChange(flags, io);
    checkFlags(flags);
    const fields = readFields(file) ?? {};
    const options = flags.list('option').map(optionOf);
    writePreference(CHANGES[flags.text('section') as Section](fields, options, flags), file, io);
    return undefined;
  },
};

const SECTIONS = ['defaults', 'aliases', 'credentialplugin'] as const;
type Section = (typeof SECTIONS)[number];

/** Checks the combination of flags. @throws CommandError if they do not fit together */
function checkFlags(flags: Flags): void {
  const section = flags.text('section');
  const entries = flags.list('allowlist-entry').length;
  const policy = flags.text('policy');
  const fail = (text: string): never => {
    throw new CommandError(text);
  };
  if (!flags.has('section')) fail('required flag(s) "section" not set');
  if (!SECTIONS.some((known) => known === section))
    fail(`--section must be "defaults", "aliases", or "credentialplugin", got: ${section}`);
  if (section === 'aliases' && flags.text('name') === '') fail('--name is required when --section=aliases');
  if (section === 'defaults') {
    if (flags.text('name') !== '') fail('--name should not be specified when --section=defaults');
    if (flags.list('prependarg').length + flags.list('appendarg').length > 0)
      fail('--prependarg and --appendarg are only valid for --section=aliases');
  }
  if (section !== 'credentialplugin') {
    if (flags.text('command') === '') fail('--command is required when --section=aliases or --section=defaults');
    return;
  }
  if (policy === '') fail('--policy is required when --section=credentialplugin');
  if (policy === 'Allowlist') {
    if (entries === 0) fail('--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist');
  } else if (policy !== 'AllowAll' && policy !== 'DenyAll')
    fail(` --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: ${policy}`);
  else if (entries > 0)
    fail('--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist');
}

function optionOf(text: string): Option {
  const at = text.indexOf('=');
  if (at < 0) throw new CommandError(`invalid option format ${JSON.stringify(text)}, expected flag=value`);
  return { name: text.slice(0, at).replace(/^-+/, ''), default: text.slice(at + 1) };
}

/** The fields of preferences after a change, for each section. */
const CHANGES: Readonly<
  Record<Section, (fields: PreferenceFields, options: readonly Option[], flags: Flags) => PreferenceFields>
> = {
  defaults(fields, options, flags) {
    const all = (fields['defaults'] ?? []) as readonly CommandDefaults[];
    const command = flags.text('command');
    const before = all.find((each) => each.command === command);
    if (before !== undefined && !flags.bool('overwrite'))
      throw new CommandError(
        `defaults for command ${JSON.stringify(command)} already exist, use --overwrite to replace`,
      );
    const after = { command, options: options.length > 0 ? options : (before?.options ?? null) };
    return {
      ...fields,
      defaults: before === undefined ? [...all, after] : all.map((each) => (each === before ? after : each)),
    };
  },

  aliases(fields, options, flags) {
    const all = (fields['aliases'] ?? []) as readonly Alias[];
    const name = flags.text('name');
    const before = all.find((each) => each.name === name);
    if (before !== undefined && !flags.bool('overwrite'))
      throw new CommandError(`alias ${JSON.stringify(name)} already exists, use --overwrite to replace`);
    const kept = <T>(given: readonly T[], old: readonly T[] | undefined) => (given.length > 0 ? given : old);
    const after: Record<string, unknown> = {
      name,
      command: flags.text('command'),
      prependArgs: kept(flags.list('prependarg'), before?.prependArgs),
      appendArgs: kept(flags.list('appendarg'), before?.appendArgs),
      options: kept(options, before?.options),
    };
    return {
      ...fields,
      aliases: before === undefined ? [...all, after] : all.map((each) => (each === before ? after : each)),
    };
  },

  credentialplugin(fields, _options, flags) {
    const policy = flags.text('policy');
    if (policy !== 'Allowlist') return { ...fields, credentialPluginPolicy: policy };
    return { ...fields, credentialPluginPolicy: policy, credentialPluginAllowlist: entriesOf(flags) };
  },
};

function entriesOf(flags: Flags): { command: string }[] {
  const mistakes: string[] = [];
  const entries = flags
    .list('allowlist-entry')
    .flatMap((text) => text.split(','))
    .flatMap((pair) => {
      const at = pair.indexOf('=');
      const [field, command] = [pair.slice(0, at), pair.slice(at + 1)];
      if (at < 0) mistakes.push(`improperly formatted allowlist entry: ${JSON.stringify(pair)}`);
      else if (field === 'name') mistakes.push('allowlist entry field "name" is deprecated, use "command" instead');
      else if (field !== 'command') mistakes.push(`unrecognized allowlist entry field: ${JSON.stringify(field)}`);
      else if (command.trim() === '')
        mistakes.push(`empty value in allowlist entry for field ${JSON.stringify(field)}`);
      else return [{ command }];
      return [];
    });
  if (mistakes.length > 0) throw new CommandError(mistakes.join('\n'), { plain: mistakes.length > 1 });
  return entries;
}
