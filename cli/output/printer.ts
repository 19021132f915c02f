import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { inGroup } from '../connection/in-group.ts';
import { CommandError } from '../framework/errors.ts';
import type { Flag, Flags } from '../framework/flag.ts';
import { toJson, toJsonAsGiven } from '../manifests/json.ts';
import { kyamlOf, toKyaml } from './kyaml.ts';
import { listOf } from './list-of.ts';
import type { ListForm, Printer } from './printing.ts';
import { toYaml } from './yaml.ts';

const FORMATS = [
  'custom-columns',
  'custom-columns-file',
  'go-template',
  'go-template-file',
  'json',
  'jsonpath',
  'jsonpath-as-json',
  'jsonpath-file',
  'kyaml',
  'name',
  'template',
  'templatefile',
  'wide',
  'yaml',
] as const;

/** The forms whose names are accepted in any case. They have no argument. */
const ANY_CASE: ReadonlySet<string> = new Set(['json', 'kyaml', 'yaml', 'name']);

/** The flag `-o` and the flags that belong to it. */
export function outputFlags(...formats: readonly string[]): readonly Flag[] {
  const some =
    formats.length === 0 ? FORMATS.filter((format) => !format.startsWith('custom') && format !== 'wide') : formats;
  return [
    { name: 'output', short: 'o', type: 'string', help: `Form of the output. One of: (${some.join(', ')}).` },
    {
      name: 'template',
      type: 'string',
      help: 'Template for -o go-template, or file with the template for -o go-template-file',
    },
    {
      name: 'allow-missing-template-keys',
      type: 'bool',
      default: true,
      help: 'Ignore missing fields in templates; =false makes them an error',
    },
    {
      name: 'show-managed-fields',
      type: 'bool',
      help: 'Show also the managed fields in JSON and YAML',
    },
  ];
}

export const getOutputFlags = outputFlags(...FORMATS);

/**
 * The printer for `-o`. Undefined if `-o` is not given. The allowed forms are those of {@link outputFlags}.
 * @throws CommandError if the form is wrong
 */
export async function printerFor(
  flags: Flags,
  allowed: readonly string[] = defaultFormats,
): Promise<Printer | undefined> {
  let output = flags.text('output');
  const template = flags.text('template');
  if (output === '' && template !== '') output = 'go-template';
  if (output === '') return undefined;
  const equals = output.indexOf('=');
  const [word, inline] = equals < 0 ? [output, undefined] : [output.slice(0, equals), output.slice(equals + 1)];
  const format = ANY_CASE.has(word.toLowerCase()) ? word.toLowerCase() : word;
  const twice = inline !== undefined && template !== '';
  if (twice || !allowed.includes(format) || (equals >= 0 && (ANY_CASE.has(format) || format === 'wide')))
    throw new CommandError(
      `unable to match a printer suitable for the output format "${output}", allowed formats are: ${[...allowed].sort().join(',')}`,
    );
  const argument = inline ?? (template || undefined);
  const managed = flags.bool('show-managed-fields');
  const missing = flags.bool('allow-missing-template-keys');
  switch (format) {
    case 'json':
      return { print: (object) => toJson(managed ? object : withoutManaged(object)), list: jsonList(managed) };
    case 'yaml': {
      let first = true;
      return {
        list: yamlList(managed),
        print: (object) => {
          const separator = first ? '' : '---\n';
          first = false;
          return separator + toYaml(managed ? object : withoutManaged(object));
        },
      };
    }
    case 'kyaml':
      return { print: (object) => toKyaml(managed ? object : withoutManaged(object)), list: kyamlList(managed) };
    case 'name':
      return { perObject: true, print: (object, type) => `${nameOf(object, type)}\n` };
    case 'custom-columns':
    case 'custom-columns-file':
      return (await import('./custom-columns.ts')).customColumns(format, argument, flags);
    case 'jsonpath':
    case 'jsonpath-as-json':
    case 'jsonpath-file':
      return (await import('./jsonpath-printer.ts')).jsonPathPrinter(format, argument, missing);
    default:
      return (await import('./template-printer.ts')).templatePrinter(format, argument, missing);
  }
}

/** JSON with the fields in the order of the object. */
export function typedJson(flags: Flags): Printer {
  const managed = flags.bool('show-managed-fields');
  return { print: (object) => toJsonAsGiven(managed ? object : withoutManaged(object)) };
}

const defaultFormats = FORMATS.filter((format) => !format.startsWith('custom') && format !== 'wide');
/** All forms except tables, which `get` writes itself. */
export const getFormats: readonly string[] = FORMATS;

/**
 * The form of a list that equals the list as one object. The fields are in order, and the items have their position
 * among them.
 */
function jsonList(managed: boolean): ListForm {
  const tail = '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';
  return {
    empty: toJson(listOf([], { resourceVersion: '' })),
    begin: '{\n    "apiVersion": "v1",\n    "items": [\n',
    item: (object) =>
      toJson(managed ? object : withoutManaged(object))
        .trimEnd()
        .replaceAll(/^/gm, '        '),
    between: ',\n',
    end: tail,
  };
}

function yamlList(managed: boolean): ListForm {
  return {
    empty: toYaml(listOf([], { resourceVersion: '' })),
    begin: 'apiVersion: v1\nitems:\n',
    item: (object) => toYaml([managed ? object : withoutManaged(object)]),
    between: '',
    end: 'kind: List\nmetadata:\n  resourceVersion: ""\n',
  };
}

function kyamlList(managed: boolean): ListForm {
  return {
    empty: toKyaml(listOf([], { resourceVersion: '' })),
    begin: '---\n{\n  apiVersion: "v1",\n  items: [',
    item: (object) => kyamlOf(managed ? object : withoutManaged(object), 1),
    between: ', ',
    end: '],\n  kind: "List",\n  metadata: {\n    resourceVersion: "",\n  },\n}\n',
  };
}

/**
 * The name of an object, such as `pod/a` or `deployment.apps/web`. It is `pod/<unknown>` for an object without a name.
 */
export function nameOf(object: ApiObject, type?: DiscoveredType): string {
  const group = type?.group ?? groupOf(object.apiVersion);
  const kind = (object.kind ?? type?.kind ?? '').toLowerCase();
  return `${inGroup(kind, group)}/${object.metadata.name || '<unknown>'}`;
}

function groupOf(apiVersion: string | undefined): string {
  return apiVersion?.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** The same object, or list of objects, without the managed fields. */
export function withoutManaged(object: ApiObject): ApiObject {
  const items = object['items'];
  if (Array.isArray(items) && object.kind?.endsWith('List')) return { ...object, items: items.map(withoutManaged) };
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
