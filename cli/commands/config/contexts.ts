import type { Command } from '../../command-line/command.ts';
import { PROGRAM } from '../../command-line/help.ts';
import { ConfigFiles } from '../../connection-files/files.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { exactly } from './arguments.ts';

export const currentContext: Command = {
  name: 'current-context',
  short: 'Display the current-context',
  examples: '# The context that commands use\n{} config current-context',
  run: async ({ flags, io }) => {
    const { currentContext: name } = new ConfigFiles(flags, io).merged();
    if (name === '') throw new CommandError('current-context is not set');
    io.out.write(`${name}\n`);
    return undefined;
  },
};

export const getContexts: Command = {
  name: 'get-contexts',
  short: 'Describe one or many contexts',
  examples: '# All contexts\n{} config get-contexts\n\n# One of them\n{} config get-contexts my-context',
  usage: '[(-o|--output=)name)]',
  flags: [
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
    { name: 'output', short: 'o', type: 'string', help: 'Form of the output. One of: (name).' },
  ],
  run: async ({ flags, args, io, path }) => {
    const output = flags.text('output');
    if (!['', 'name'].includes(output))
      throw new CommandError(`--output ${output} is not available in ${path}; resetting to default output format`);
    const { contexts, currentContext: current } = new ConfigFiles(flags, io).merged();
    const names = args.length === 0 ? [...contexts.keys()].sort() : args.filter((name) => contexts.has(name));
    const errors = args
      .filter((name) => !contexts.has(name))
      .map((name) => new CommandError(`context ${name} not found`));
    if (output === 'name') io.out.write(names.map((name) => `${name}\n`).join(''));
    else {
      const writer = new TabWriter();
      if (!flags.bool('no-headers')) writer.line(['CURRENT', 'NAME', 'CLUSTER', 'AUTHINFO', 'NAMESPACE']);
      for (const name of names) {
        const { cluster = '', user = '', namespace = '' } = contexts.get(name) ?? {};
        writer.line([name === current ? '*' : '', name, String(cluster), String(user), String(namespace)]);
      }
      io.out.write(writer.flush());
    }
    throwAll(errors);
    return undefined;
  },
};

export const useContext: Command = {
  name: 'use-context',
  aliases: ['use'],
  short: 'Set the current-context in a connection file',
  examples: '# Change the current context\n{} config use-context my-context',
  usage: 'CONTEXT_NAME',
  run: async (invocation) => {
    const [name] = exactly(invocation, 1);
    const { flags, io } = invocation;
    const files = new ConfigFiles(flags, io);
    const { contexts } = files.merged();
    if (!contexts.has(name!))
      throw new CommandError(`no context exists with the name: "${name}"`, {
        hint: `There are ${[...contexts.keys()].join(', ') || 'none'}.`,
      });
    const file = files.fileOfCurrent;
    files.in(file).currentContext = name!;
    files.write(file);
    io.out.write(`Switched to context "${name}".\n`);
    return undefined;
  },
};

export const renameContext: Command = {
  name: 'rename-context',
  short: 'Rename a context from the connection file',
  examples: '# Give a context another name\n{} config rename-context old-name new-name',
  usage: 'CONTEXT_NAME NEW_NAME',
  run: async (invocation) => {
    const [from, to] = exactly(invocation, 2) as [string, string];
    const { flags, io } = invocation;
    const files = new ConfigFiles(flags, io);
    const { contexts } = files.merged();
    if (!contexts.has(from))
      throw new CommandError(`cannot rename the context "${from}", it's not in ${files.fileOf('contexts', from)}`);
    if (contexts.has(to))
      throw new CommandError(
        `cannot rename the context "${from}", the context "${to}" already exists in ${files.fileOf('contexts', to)}`,
      );
    const file = files.fileOf('contexts', from);
    const document = files.in(file);
    document.contexts.set(to, document.contexts.get(from)!);
    document.contexts.delete(from);
    const current = files.fileOfCurrent;
    if (files.in(current).currentContext === from) files.in(current).currentContext = to;
    files.write(file);
    if (current !== file) files.write(current);
    io.out.write(`Context "${from}" renamed to "${to}".\n`);
    return undefined;
  },
};

export const setContext: Command = {
  name: 'set-context',
  short: 'Set a context entry in a connection file',
  long: 'Set a context entry of the connection file.\n\n Other fields of an existing entry do not change.',
  examples: '# Change the namespace of the current context\n{} config set-context --current --namespace=dev',
  usage: '[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]',
  flags: [{ name: 'current', type: 'bool', help: 'Change the current context' }],
  run: async (invocation) => {
    const { flags, args, io } = invocation;
    if (args.length > 1) exactly(invocation, 1);
    const files = new ConfigFiles(flags, io);
    const merged = files.merged();
    const current = flags.bool('current');
    if (args.length > 0 && current) throw new CommandError('you cannot specify both a context name and --current');
    if (args.length === 0 && !current) throw new CommandError('you must specify a non-empty context name or --current');
    const name = current ? merged.currentContext : args[0]!;
    if (name === '') throw new CommandError('no current context is set');
    const file = files.fileOf('contexts', name);
    const entry = files.in(file).contexts.get(name) ?? {};
    for (const field of ['cluster', 'user', 'namespace']) if (flags.has(field)) entry[field] = flags.text(field);
    for (const field of ['cluster', 'user']) entry[field] ??= '';
    files.in(file).contexts.set(name, entry);
    files.write(file);
    io.out.write(`Context "${name}" ${merged.contexts.has(name) ? 'modified' : 'created'}.\n`);
    return undefined;
  },
};

/** The warning that the current context was removed. */
export const goneCurrent = `warning: this removed your active context, use "${PROGRAM} config use-context" to select a different one\n`;
