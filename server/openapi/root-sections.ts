import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { MessageDefinitions } from './message-definitions.ts';
import type { Content, Operation, Paths, Section } from './model.ts';
import { groupTitle, lowerFirst, upperFirst } from './operation-names.ts';
import { inPath } from './resource-operations.ts';
import { groupVersionPath } from './resource-paths.ts';

interface Options {
  readonly schema: Schema;
  readonly naming: Naming;
  readonly definitions: MessageDefinitions;
}

/** The names of a group for the titles of its operations. */
export interface GroupName {
  /** The name of the group in paths. */
  readonly name: string;
  /** The name without the domain that the names of built-in groups have. */
  readonly short: string;
}

/** The sections about paths outside the groups: the version, logs, and the keys of service account tokens. */
export function rootSections({ schema, definitions }: Options): Section[] {
  const text = { responses: { 200: 'text' as Content } };
  const logs = section('logs', {
    '/logs/': { id: 'logFileListHandler', tag: 'logs', parameters: [], responses: {} },
    '/logs/{logpath}': { id: 'logFileHandler', tag: 'logs', parameters: inPath('logpath'), responses: {} },
  });
  return [
    section('version', {
      '/version/': {
        id: 'getCodeVersion',
        tag: 'version',
        consumes: ['application/json'],
        produces: ['application/json'],
        parameters: [],
        responses: { 200: definitions.of(schema.message('version.Info')) },
      },
    }),
    ...(schema.release.atLeast(31) ? [] : [logs]),
    section('.well-known/openid-configuration', {
      '/.well-known/openid-configuration/': {
        id: 'getServiceAccountIssuerOpenIDConfiguration',
        tag: 'WellKnown',
        produces: ['application/json'],
        parameters: [],
        ...text,
      },
    }),
    section('openid/v1/jwks', {
      '/openid/v1/jwks/': {
        id: 'getServiceAccountIssuerOpenIDKeyset',
        tag: 'openid',
        produces: ['application/jwk-set+json'],
        parameters: [],
        ...text,
      },
    }),
  ];
}

/** The sections about the discovery documents at `/api/` and `/apis/`. */
export function discoveryRoots(options: Options): Section[] {
  return [
    section('api', { '/api/': discovery(options, 'getCoreAPIVersions', 'core', 'APIVersions') }),
    section('apis', { '/apis/': discovery(options, 'getAPIVersions', 'apis', 'APIGroupList') }),
  ];
}

/** The section about the discovery document of a group. */
export function groupSection(options: Options, { name, short }: GroupName): Section {
  const title = groupTitle(short);
  return section(`apis/${name}`, {
    [`/apis/${name}/`]: discovery(options, `get${title}APIGroup`, lowerFirst(title), 'APIGroup'),
  });
}

/** The path of the discovery document of a group version, for the section with the resources of that version. */
export function resourceListPaths(options: Options, { name, short }: GroupName, version: string): Paths {
  const title = groupTitle(short);
  const id = `get${title}${upperFirst(version)}APIResources`;
  const operation = discovery(options, id, `${lowerFirst(title)}_${version}`, 'APIResourceList');
  return new Map([[`${groupVersionPath(name, version)}/`, { get: operation }]]);
}

function discovery(options: Options, id: string, tag: string, kind: string): Operation {
  const types = ['application/json', 'application/yaml', options.naming.protobufMediaType];
  const content = options.definitions.of(options.schema.message(`meta.v1.${kind}`));
  return { id, tag, consumes: types, produces: types, parameters: [], responses: { 200: content } };
}

function section(key: string, operations: Readonly<Record<string, Operation>>): Section {
  return { key, paths: () => new Map(Object.entries(operations).map(([path, get]) => [path, { get }])) };
}
