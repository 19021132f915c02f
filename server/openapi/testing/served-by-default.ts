import { jsonHead, type ServedResource } from '../../api/served-resource.ts';
import { createNaming } from '../../naming/create-naming.ts';
import type { NamingProfile } from '../../naming/naming.ts';
import { loadSchema } from '../../schema/load.ts';
import { OpenApi } from '../openapi.ts';
import { builtInSections, type Served } from '../sections.ts';

/** What a server without flags serves, as far as documents need to know. */
export function servedByDefault(profile: NamingProfile = 'orch'): Served {
  const naming = createNaming(profile);
  const schema = loadSchema(naming);
  const groups = new Map<string, string[]>();
  const allServed: ServedResource[] = [];
  for (const groupVersion of schema.groupVersions.filter(({ enabledByDefault }) => enabledByDefault)) {
    const { version } = groupVersion;
    const group = naming.group(groupVersion.group);
    const apiVersion = naming.apiVersion(groupVersion.group, version);
    groups.set(group, [...(groups.get(group) ?? []), version]);
    for (const type of groupVersion.resources) {
      const head = jsonHead(type.kind, apiVersion);
      const rest = { stored: undefined, versionRules: {}, identical: true, jsonHead: head };
      allServed.push({ type, group, version, apiVersion, ...rest });
    }
  }
  return { schema, naming, allServed, groups: [...groups].map(([name, versions]) => ({ name, versions })) };
}

/** The documents of a server without flags. */
export function documentsByDefault(profile: NamingProfile = 'orch'): OpenApi {
  const served = servedByDefault(profile);
  return new OpenApi(served.naming, builtInSections(served));
}
