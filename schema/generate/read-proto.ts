import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { ProtoError, type ProtoField, type ProtoFile, type ProtoMessage } from '../descriptors/proto-data.ts';
import { OptionTable } from './proto-options.ts';

/**
 * Reads and parses the files of `proto/`, except the file that declares options.
 * @throws ProtoError if a file has unexpected content
 */
export function readProto(folder: string): ProtoFile[] {
  const table = new OptionTable(readFileSync(join(folder, 'options.proto'), 'utf8'));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.proto') && name !== 'options.proto')
    .map((name) => parseFile(table, name, readFileSync(join(folder, name), 'utf8')));
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
    ...optionsOf(table, 'file', namespace),
    messages: namespace.nestedArray
      .filter((item) => item instanceof protobuf.Type)
      .map((message) => messageData(table, message)),
  };
}

function messageData(table: OptionTable, message: protobuf.Type): ProtoMessage {
  return {
    name: message.name,
    ...optionsOf(table, 'message', message),
    fields: message.fieldsArray.map((field) => fieldData(table, field)),
  };
}

function fieldData(table: OptionTable, field: protobuf.Field): ProtoField {
  return {
    ...{ name: field.name, type: field.type, id: field.id },
    ...(field.repeated && { repeated: true }),
    ...(field instanceof protobuf.MapField && { map: true }),
    ...(field.options?.['proto3_optional'] === true && { optional: true }),
    ...optionsOf(table, 'field', field),
  };
}

function optionsOf(...[table, target, object]: [OptionTable, ...Parameters<OptionTable['read']>]) {
  const options = table.read(target, object);
  return options && { options };
}
