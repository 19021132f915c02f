import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command } from '../../command-line/command.ts';
import { type Document, emptyDocument, type Fields, type Section, toObject } from '../../connection-files/document.ts';
import { ConfigFiles } from '../../connection-files/files.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import { fileWords } from '../../framework/file-words.ts';
import { outputFlags, printerFor } from '../../output/printer.ts';
import { toYaml } from '../../output/yaml.ts';

/** Fields with secrets, which are not shown. */
const SECRET: ReadonlyMap<string, string> = new Map([
  ['password', 'REDACTED'],
  ['token', 'REDACTED'],
  ['client-certificate-data', 'DATA+OMITTED'],
  ['client-key-data', 'DATA+OMITTED'],
  ['certificate-authority-data', 'DATA+OMITTED'],
]);

/** Fields that name files, each with the field that may contain the file's content instead. */
const FILES: ReadonlyMap<string, string | undefined> = new Map([
  ['certificate-authority', 'certificate-authority-data'],
  ['client-certificate', 'client-certificate-data'],
  ['client-key', 'client-key-data'],
  ['tokenFile', undefined],
]);

export const view: Command = {
  name: 'view',
  short: 'Display merged connection settings or a specified connection file',
  long: 'Display merged connection settings or a specified connection file.\n\n With --output jsonpath={...} a single value is shown.',
  examples: [
    '# The merged content of all connection files',
    '{} config view',
    '',
    '# The password of one user',
    '{} config view --raw -o jsonpath=\'{.users[?(@.name == "e2e")].user.password}\'',
  ].join('\n'),
  flags: [
    ...outputFlags().map((flag) => (flag.name === 'output' ? { ...flag, default: 'yaml' } : flag)),
    { name: 'flatten', type: 'bool', help: 'Show the content of certificate and key files instead of their paths' },
    {
      name: 'merge',
      type: 'bool',
      default: true,
      help: 'Merge all connection files; =false shows only the file that is named with a flag',
    },
    { name: 'minify', type: 'bool', help: 'Show only the entries that the current context uses' },
    { name: 'raw', type: 'bool', help: 'Show secrets and the content of certificates too' },
  ],
  run: async ({ flags, args, io }) => {
    if (args.length > 0) throw new UsageError(`unexpected arguments: [${args.join(' ')}]`);
    if (!flags.bool('merge') && flags.text('kubeconfig') === '')
      throw new CommandError('if merge==false a precise file must be specified');
    const files = new ConfigFiles(flags, io);
    let document = withAbsolutePaths(files);
    if (flags.bool('minify')) document = minified(document, flags.text('context') || document.currentContext);
    if (flags.bool('flatten')) document = changed(document, flattened);
    if (!flags.bool('raw') && !flags.bool('flatten')) document = changed(document, redacted);
    const object = toObject(document);
    const format = flags.text('output');
    if (format === 'json') io.out.write(`${escaped(JSON.stringify(object, undefined, 4))}\n`);
    else if (format === 'yaml') io.out.write(toYaml(object));
    else if (format === 'name') io.out.write('config/<unknown>\n');
    else {
      const printer = await printerFor(flags);
      io.out.write(printer!.print(asObject(object)));
    }
    return undefined;
  },
};

function escaped(json: string): string {
  return json.replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

/** All files merged into one document, with absolute paths that do not depend on the folder of the file. */
function withAbsolutePaths(files: ConfigFiles): Document {
  const document = files.merged();
  for (const section of ['clusters', 'users'] as const)
    for (const [name, fields] of document[section]) {
      const folder = path.dirname(path.resolve(files.fileOf(section, name)));
      const absolute = Object.entries(fields).map(([field, value]) =>
        FILES.has(field) && typeof value === 'string' && value !== ''
          ? [field, path.resolve(folder, value)]
          : [field, value],
      );
      document[section].set(name, Object.fromEntries(absolute) as Fields);
    }
  return document;
}

function changed(document: Document, change: (fields: Fields) => Fields): Document {
  const map = (section: Section) => new Map([...document[section]].map(([name, fields]) => [name, change(fields)]));
  // Users come first, because errors about unreadable files are reported in that order.
  return { ...document, users: map('users'), clusters: map('clusters') };
}

function redacted(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value ? (SECRET.get(name) ?? value) : value]),
  );
}

function flattened(fields: Fields): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    const data = FILES.get(name);
    if (data === undefined || typeof value !== 'string' || value === '') result[name] = value;
    else if (!fields[data]) result[data] = readBytes(value).toString('base64');
  }
  return result;
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandError(fileWords(error, file));
  }
}

/** The document with only one context, its cluster and its user. */
function minified(document: Document, name: string): Document {
  const context = document.contexts.get(name);
  if (context === undefined) throw new CommandError(`cannot locate context ${name}`);
  const small = emptyDocument();
  small.contexts.set(name, context);
  small.currentContext = name;
  for (const [section, field] of [
    ['clusters', 'cluster'],
    ['users', 'user'],
  ] as const) {
    const entry = String(context[field] ?? '');
    if (entry === '') continue;
    const fields = document[section].get(entry);
    if (fields === undefined) throw new CommandError(`cannot locate ${field} ${entry}`);
    small[section].set(entry, fields);
  }
  return small;
}
