import type { JsonValue } from '#base/json/json-value.ts';
import type { Client } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { type Schema, Schemas } from '#client/open-api/schemas.ts';
import { exampleOf } from '#schema/words/examples.ts';
import { parseYaml } from '#schema/yaml/parse.ts';
import type { Command } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError } from '../../framework/errors.ts';
import { detailsText } from './details.ts';
import { oldText } from './old-text.ts';
import { readRequest } from './request.ts';
import { searchText } from './search.ts';
import { explainText } from './text.ts';

export const explain: Command = {
  name: 'explain',
  short: 'Get documentation for a resource',
  long: 'Get documentation for a resource.\n\n Describes the fields of a type, as the server publishes them. A field is named by its path:\n\n  <type>.<fieldName>[.<fieldName>]\n\nUse "{} api-resources" for a complete list of supported resources.',
  examples: [
    '# A type and its fields, then also all nested fields',
    '{} explain pods',
    '{} explain pods --recursive',
    '{} explain pods --recursive --max-depth=2',
    '',
    '# One field',
    '{} explain pods.spec.containers',
    '',
    '# One field with all its values, its default and an example',
    '{} explain deployment.spec.strategy --output=details',
    '',
    '# Fields whose names or descriptions contain words, of all types or of one type',
    "{} explain --search 'restart policy'",
    '{} explain pods --search seconds',
  ].join('\n'),
  usage:
    '(TYPE | --search=WORDS) [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2|details]',
  flags: [
    { name: 'api-version', type: 'string', help: 'API group and version of the type, such as apps/v1' },
    {
      name: 'output',
      short: 'o',
      type: 'string',
      default: 'plaintext',
      help: 'Form of the output. One of: (plaintext, plaintext-openapiv2, details).',
    },
    {
      name: 'max-depth',
      type: 'int',
      default: 0,
      help: 'With --recursive, number of levels of fields to show; 0 shows all',
    },
    { name: 'recursive', short: 'R', type: 'bool', help: 'Show also nested fields, with their names and types' },
    {
      name: 'search',
      type: 'string',
      help: 'Find fields that have these words in name or description, in one type or in all types',
    },
  ],
  run: async ({ flags, args, session, io }) => {
    const words = flags.text('search').toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) {
      if (args.length > 1) throw new CommandError('only one type can be searched');
      io.out.write(await foundIn(session, args[0], words));
      return undefined;
    }
    if (args.length === 0)
      throw new CommandError(
        'You must specify the type of resource to explain. Use "orchctl api-resources" for a complete list of supported resources.',
      );
    if (args.length > 1) throw new CommandError('We accept only this format: explain RESOURCE');
    const output = flags.text('output');
    if (!['plaintext', 'plaintext-openapiv2', 'details'].includes(output))
      throw new CommandError(`unrecognized format: ${output}`);
    const depth = { recursive: flags.bool('recursive'), maxDepth: flags.int('max-depth') };
    if (depth.maxDepth > 0 && !depth.recursive) throw new CommandError('--max-depth requires --recursive');
    if (depth.maxDepth < 0) throw new CommandError('--max-depth must be non-negative');
    const old = output === 'plaintext-openapiv2';
    const wanted = flags.text('api-version');
    const { type, fields } = await readRequest(session, args[0]!, wanted !== '');
    const { group, version } = wanted === '' ? type : groupVersion(wanted);
    const client = await session.client();
    const schemas = old ? await oldSchemas(client) : await schemasOf(client, group, version);
    const { types } = await session.discovered();
    const served = types.some((one) => one.group === group && one.version === version && one.plural === type.plural);
    const extension = `${client.naming.extensionPrefix}group-version-kind`;
    const schema = served ? schemas?.ofKind(group, version, type.kind, extension) : undefined;
    const what = `${group}/${version}, ${old ? `Kind=${type.kind}` : `Resource=${type.plural}`}`;
    if (schemas === undefined || (schema === undefined && old))
      throw new CommandError(`couldn't find resource for "${what}"`);
    if (schema === undefined) throw new CommandError(`GVR (${what}) not found in OpenAPI schema`);
    if (output === 'details') {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const example = await exampleOf(apiVersion, type.kind, client.naming);
      const manifest = example === undefined ? undefined : (parseYaml(Buffer.from(example)).value as JsonValue);
      const what = { apiVersion, kind: type.kind, ...depth, example: manifest };
      const details = detailsText(schemas, schema, fields, what);
      io.out.write(details.text);
      if (details.error !== undefined) throw new CommandError(details.error);
      return undefined;
    }
    const explanation = { group, version, kind: type.kind, ...depth };
    const { text, error } = (old ? oldText : explainText)(schemas, schema, fields, explanation);
    io.out.write(text);
    if (error !== undefined) throw new CommandError(error);
    return undefined;
  },
};

/** The fields that contain all words. The search covers one type, or all types in their preferred versions. */
async function foundIn(session: Session, named: string | undefined, words: readonly string[]): Promise<string> {
  const client = await session.client();
  const [schemas, discovered] = await Promise.all([oldSchemas(client), session.discovered()]);
  const preferred = discovered.preferred();
  const types = named === undefined ? preferred : [(await readRequest(session, named, false)).type];
  const extension = `${client.naming.extensionPrefix}group-version-kind`;
  const kinds = types.flatMap((type) => {
    const { group, version, kind, plural } = type;
    const schema = schemas.ofKind(group, version, kind, extension);
    const first = preferred.find((other) => other.plural === plural);
    return schema === undefined ? [] : [{ schema, word: first?.group === group ? plural : inGroup(plural, group) }];
  });
  const text = searchText(schemas, kinds, words);
  if (text.trim() === '') throw new CommandError(`no field has the words: ${words.join(' ')}`, { plain: true });
  return text;
}

/** Parses `apps/v1`, or `v1` of the core group. @throws CommandError if the text is malformed */
function groupVersion(text: string): { group: string; version: string } {
  const words = text.split('/');
  if (words.length > 2) throw new CommandError(`unexpected GroupVersion string: ${text}`);
  const [version = '', group = ''] = words.reverse();
  return { group, version };
}

/** The schemas that the server publishes for a version. Undefined means that there are none. */
async function schemasOf(client: Client, group: string, version: string): Promise<Schemas | undefined> {
  const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  try {
    const document = await client.getJson<{ components?: { schemas?: Record<string, Schema> } }>(path);
    return new Schemas(document.components?.schemas ?? {});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The schemas of all versions, in the format for older clients. */
async function oldSchemas(client: Client): Promise<Schemas> {
  return new Schemas((await client.getJson<{ definitions?: Record<string, Schema> }>('/openapi/v2')).definitions ?? {});
}
