#!/usr/bin/env node
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { connect } from '../client.ts';
import { findConnectionFiles } from '../connection/find-connection.ts';
import { apiextensionsV1 } from '../generated/resources.ts';
import { type Definition, DefinitionError, definitionsIn } from './definition.ts';
import { renderTypes } from './render-types.ts';

const HELP = `Makes TypeScript types of the definitions of custom types.

Usage:
  crd-to-types FILE...             of files and folders of YAML or JSON; - is the standard input
  crd-to-types --server [NAME...]  of a server: all of its definitions, or those named (gizmos.example.com)

Options:
  -o, --output=FILE      write to this file; to the standard output by default
      --kubeconfig=FILE  the connection file of the server; that of the user by default
      --context=NAME     a context of that file; its current one by default
      --import=NAME      what the client library is imported as (default "@orch/client")
  -h, --help             show this text
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      server: { type: 'boolean' },
      output: { type: 'string', short: 'o' },
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      import: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  if (values.server !== true && positionals.length === 0)
    throw new DefinitionError('name files of definitions, or --server; --help says more');
  const definitions =
    values.server === true
      ? await definitionsOfServer(positionals, values.kubeconfig, values.context)
      : positionals.flatMap(definitionsOfPath);
  if (definitions.length === 0) throw new DefinitionError('there are no definitions of custom types');
  const text = renderTypes(definitions, values.import ?? '@orch/client');
  if (values.output === undefined) process.stdout.write(text);
  else writeFileSync(values.output, text);
}

async function definitionsOfServer(
  names: readonly string[],
  file: string | undefined,
  context: string | undefined,
): Promise<readonly Definition[]> {
  const client = await connect(chooseConnection(readConnectionFiles(findConnectionFiles(file)), { context }));
  try {
    const resource = client.resource(apiextensionsV1.customresourcedefinitions);
    const objects =
      names.length === 0 ? (await resource.list()).items : await Promise.all(names.map((name) => resource.get(name)));
    const type = { apiVersion: client.naming.apiVersion('apiextensions', 'v1'), kind: 'CustomResourceDefinition' };
    return objects.flatMap((object) => definitionsIn({ ...object, ...type }, client.transport.server));
  } finally {
    await client.close();
  }
}

/** The definitions in a file, or in all files of a folder and its subfolders. */
function definitionsOfPath(given: string): readonly Definition[] {
  if (given === '-') return definitionsOfText(readFileSync(0, 'utf8'), 'the standard input');
  if (!statSync(given).isDirectory()) return definitionsOfText(readFileSync(given, 'utf8'), given);
  return readdirSync(given, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => path.join(given, name))
    .flatMap((file) => definitionsOfText(readFileSync(file, 'utf8'), file));
}

function definitionsOfText(text: string, where: string): readonly Definition[] {
  const documents = parseAllDocuments(text);
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new DefinitionError(`${where} is not YAML: ${error.message.split('\n')[0]}`);
    return definitionsIn(document.toJS(), where);
  });
}

try {
  await main();
} catch (error) {
  console.error(`crd-to-types: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
