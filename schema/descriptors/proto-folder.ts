import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { type Options, OptionTable, ProtoError } from './proto-options.ts';

/** One file of `proto/`, parsed. */
export interface ProtoFile {
  readonly package: string;
  readonly options: Options;
  readonly messages: readonly protobuf.Type[];
}

/** All of `proto/`. */
export interface ProtoFolder {
  readonly table: OptionTable;
  readonly files: readonly ProtoFile[];
}

/** Reads and parses `proto/`. Throws {@link ProtoError} when a file does not hold what it should. */
export function readProtoFolder(folder: string = findProtoFolder()): ProtoFolder {
  const table = new OptionTable(readFileSync(join(folder, 'options.proto'), 'utf8'));
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.proto') && name !== 'options.proto')
    .map((name) => parseFile(table, name, readFileSync(join(folder, name), 'utf8')));
  return { table, files };
}

/** `proto/` of this package, seen from the sources or from what was built of them. */
function findProtoFolder(): string {
  for (const up of ['../..', '../../..']) {
    const folder = join(import.meta.dirname, up, 'proto');
    if (existsSync(join(folder, 'options.proto'))) return folder;
  }
  throw new ProtoError(`no proto folder above ${import.meta.dirname}`);
}

function parseFile(table: OptionTable, name: string, text: string): ProtoFile {
  const parsed = protobuf.parse(text, { keepCase: true });
  const packageName = parsed.package;
  if (packageName === undefined || `${packageName}.proto` !== name)
    throw new ProtoError(`${name} declares package ${packageName}`);
  const namespace = parsed.root.lookup(packageName);
  if (!(namespace instanceof protobuf.Namespace)) throw new ProtoError(`${name} is empty`);
  return {
    package: packageName,
    options: table.read('file', namespace),
    messages: namespace.nestedArray.filter((item) => item instanceof protobuf.Type),
  };
}
