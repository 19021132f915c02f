import { type Command, entryOf } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { pluginsOn } from './find.ts';

const list: Command = {
  name: 'list',
  short: "List all visible plugin executables on a user's PATH",
  long: 'List all programs on the PATH that are plug-ins: whose names begin with "orchctl-". The command warns of plug-ins that cannot run, and of plug-ins that another one hides.',
  examples: '# List all plug-ins\n{} plugin list\n\n# List their names without folders\n{} plugin list --name-only',
  flags: [{ name: 'name-only', type: 'bool', help: 'Show only the names of the programs, without their folders' }],
  run: async ({ flags, io, commands }) => {
    const { plugins, unreadable } = pluginsOn(io.env['PATH'] ?? '', (name) =>
      commands.some((entry) => entry.name === name || entry.aliases?.includes(name)),
    );
    for (const text of unreadable) io.err.write(`${text}\n`);
    if (plugins.length === 0) throw new CommandError('unable to find any orchctl plugins in your PATH');
    io.out.write('The following compatible plugins are available:\n\n');
    let warnings = 0;
    for (const { file, name, warning } of plugins) {
      io.out.write(`${flags.bool('name-only') ? name : file}\n`);
      if (warning === undefined) continue;
      warnings++;
      io.err.write(`  - warning: ${warning}\n`);
    }
    if (warnings > 0)
      throw new CommandError(
        warnings === 1 ? 'one plugin warning was found' : `${warnings} plugin warnings were found`,
      );
    return undefined;
  },
};

export const plugin: Command = {
  name: 'plugin',
  short: 'Provides utilities for interacting with plugins',
  long: 'Provides utilities for interacting with plugins.\n\n A plug-in is a program on the PATH whose name begins with "orchctl-": "{} foo bar" runs "orchctl-foo-bar", or "orchctl-foo" with the argument "bar".',
  needsSubcommand: true,
  subcommands: [entryOf(list)],
};
