import type { JsonObject } from '#base/json/json-value.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { Command } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import { toJsonAsGiven } from '../../manifests/json.ts';
import { toKyaml } from '../../output/kyaml.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { toYaml } from '../../output/yaml.ts';
import { apiVersionIn } from '../../resources/found.ts';

/** The output forms that are whole documents. */
const DOCUMENTS: ReadonlyMap<string, (list: JsonObject) => string> = new Map([
  ['json', toJsonAsGiven],
  ['yaml', toYaml],
  ['kyaml', toKyaml],
]);
const FORMS: readonly string[] = [...DOCUMENTS.keys(), 'name', 'wide'];

export const apiResources: Command = {
  name: 'api-resources',
  short: 'Print the supported API resources on the server',
  examples: [
    '# All types, with their short names',
    '{} api-resources',
    '',
    '# Names of the namespaced types that can be listed',
    '{} api-resources --namespaced --verbs=list -o name',
  ].join('\n'),
  flags: [
    { name: 'api-group', type: 'string', help: 'List only the types of this API group' },
    { name: 'cached', type: 'bool', help: 'Use the cached list of types, without a request to the server' },
    { name: 'categories', type: 'strings', help: 'List only the types that are in all of these categories' },
    {
      name: 'namespaced',
      type: 'bool',
      default: true,
      help: 'List only namespaced types; =false lists only types that are not namespaced',
    },
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
    { name: 'output', short: 'o', type: 'string', help: `Form of the output. One of: (${FORMS.join(', ')}).` },
    { name: 'show-managed-fields', type: 'bool', help: 'Accepted for compatibility: types have no managed fields' },
    { name: 'sort-by', type: 'string', help: "Sort by 'name' or 'kind'" },
    { name: 'verbs', type: 'strings', help: 'List only the types that support all of these verbs' },
  ],
  run: async ({ flags, args, session, io }) => {
    if (args.length > 0) throw new UsageError(`unexpected arguments: [${args.join(' ')}]`);
    const [output, sortBy] = [flags.text('output'), flags.text('sort-by')];
    if (output !== '' && !FORMS.includes(output)) throw new CommandError(`--output ${output} is not available`);
    if (!['', 'name', 'kind'].includes(sortBy)) throw new CommandError('--sort-by accepts only name or kind');
    const discovered = await (flags.bool('cached') ? session.discovered() : session.rediscovered());
    const types = discovered
      .preferred()
      .filter(
        (type) =>
          type.verbs.length > 0 &&
          (!flags.has('api-group') || type.group === flags.text('api-group')) &&
          (!flags.has('namespaced') || type.namespaced === flags.bool('namespaced')) &&
          flags.list('verbs').every((verb) => type.verbs.includes(verb)) &&
          flags.list('categories').every((category) => type.categories.includes(category)),
      );
    const sorted = types
      .map((type, at) => ({ type, at }))
      .sort((a, b) => compare(a.type, b.type, sortBy) || a.at - b.at);
    const unread = [...discovered.failed].map(
      ([groupVersion, error]) =>
        new CommandError(`unable to retrieve the complete list of server APIs: ${groupVersion}: ${error.message}`),
    );
    const write = DOCUMENTS.get(output);
    if (write !== undefined) {
      io.out.write(write(listOf(sorted.map(({ type }) => type))));
      throwAll(unread);
      return undefined;
    }
    const writer = new TabWriter();
    const wide = output === 'wide';
    if (!flags.bool('no-headers') && output !== 'name')
      writer.line([
        ...['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'],
        ...(wide ? ['VERBS', 'CATEGORIES'] : []),
      ]);
    for (const { type } of sorted) {
      if (output === 'name') writer.line([inGroup(type.plural, type.group)]);
      else
        writer.line([
          type.plural,
          type.shortNames.join(','),
          apiVersionIn(type),
          String(type.namespaced),
          type.kind,
          ...(wide ? [type.verbs.join(','), type.categories.join(',')] : []),
        ]);
    }
    io.out.write(writer.flush());
    throwAll(unread);
    return undefined;
  },
};

/** The types in the form in which discovery lists the types of one version, each with its group and version. */
function listOf(types: readonly DiscoveredType[]): JsonObject {
  const resources = types.map((type) => ({
    ...{ name: type.plural, singularName: type.singular, namespaced: type.namespaced },
    ...(type.group === '' ? {} : { group: type.group }),
    ...{ version: type.version, kind: type.kind, verbs: [...type.verbs] },
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: '', resources };
}

function compare(a: DiscoveredType, b: DiscoveredType, by: string): number {
  const order = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0);
  if (by === 'name') return order(a.plural, b.plural);
  if (by === 'kind') return order(a.kind, b.kind);
  return order(a.group, b.group) || order(a.plural, b.plural);
}
