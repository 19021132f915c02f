import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import { isNotFound } from '../../client/errors.ts';
import { type Schema, Schemas } from '../explain/schema.ts';
import { explainText } from '../explain/text.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { isNamed } from '../resources/find-type.ts';
import { inGroup } from '../resources/in-group.ts';
import { unknownType } from '../resources/selection.ts';

export const explain: Command = {
  name: 'explain',
  short: 'Get documentation for a resource',
  long: 'Get documentation for a resource.\n\n Describes the fields of a type, as the server publishes them. Fields are named by the way to them:\n\n  <type>.<fieldName>[.<fieldName>]\n\nUse "{} api-resources" for a complete list of supported resources.',
  examples: [
    '# A type and its fields, and all fields below them',
    '{} explain pods',
    '{} explain pods --recursive',
    '',
    '# One field',
    '{} explain pods.spec.containers',
  ].join('\n'),
  usage: 'TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]',
  flags: [
    { name: 'api-version', type: 'string', help: 'Group and version to explain the type of, such as apps/v1' },
    {
      name: 'output',
      short: 'o',
      type: 'string',
      default: 'plaintext',
      help: 'Form of the output. One of: (plaintext, plaintext-openapiv2).',
    },
    { name: 'recursive', type: 'bool', help: 'Show the fields of fields too, by name and type' },
  ],
  run: async ({ flags, args, session, io }) => {
    if (args.length === 0)
      throw new CommandError(
        'You must specify the type of resource to explain. Use "orchctl api-resources" for a complete list of supported resources.',
      );
    if (args.length > 1) throw new CommandError('We accept only this format: explain RESOURCE');
    const output = flags.text('output');
    if (!['plaintext', 'plaintext-openapiv2'].includes(output))
      throw new CommandError(`unrecognized format: ${output}`);
    const discovered = await session.discovered();
    const words = args[0]!.split('.').filter((word) => word !== '');
    // Of the types that have the name, the one whose group follows: `deployments.apps.spec`.
    const all = discovered.types.filter(isNamed(words[0] ?? ''));
    const named = ({ plural, group }: DiscoveredType) => inGroup(plural, group);
    const exact = all.find((one) => words.join('.').startsWith(named(one)));
    const type = exact ?? (await session.typeNamed(words[0] ?? ''));
    if (type === undefined) {
      const unknown = unknownType(words[0] ?? args[0]!, discovered.preferred());
      throw new CommandError(unknown.message, { plain: true, hint: unknown.hint });
    }
    const length = exact === undefined ? 1 : named(exact).split('.').length;
    const wanted = flags.text('api-version');
    let { group, version } = type;
    if (wanted !== '') {
      const slash = wanted.indexOf('/');
      [group, version] = slash < 0 ? ['', wanted] : [wanted.slice(0, slash), wanted.slice(slash + 1)];
      const served = discovered.types.some(
        (each) => each.group === group && each.version === version && each.plural === type.plural,
      );
      if (!served) throw new CommandError(`couldn't find resource for "${group}/${version}, Resource=${type.plural}"`);
    }
    const client = await session.client();
    const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
    const document = await client
      .getJson<{ components?: { schemas?: Record<string, Schema> } }>(path)
      .catch((error: unknown) => {
        throw isNotFound(error)
          ? new CommandError(`couldn't find resource for "${group}/${version}, Resource=${type.plural}"`)
          : error;
      });
    const schemas = new Schemas(document.components?.schemas ?? {});
    const extension = `${client.naming.extensionPrefix}group-version-kind`;
    const schema = schemas.ofKind(group, version, type.kind, extension);
    if (schema === undefined)
      throw new CommandError(`couldn't find resource for "${group}/${version}, Resource=${type.plural}"`);
    const { text, error } = explainText(schemas, schema, words.slice(length), {
      group,
      version,
      kind: type.kind,
      recursive: flags.bool('recursive'),
      old: output === 'plaintext-openapiv2',
    });
    io.out.write(text);
    if (error !== undefined) throw new CommandError(error);
    return undefined;
  },
};
