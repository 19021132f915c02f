import type { Registry } from '../api/registry.ts';
import { MessageDefinitions } from './message-definitions.ts';
import type { Section } from './model.ts';
import { resourcePaths } from './resource-paths.ts';
import { discoveryRoots, groupSection, resourceListPaths, rootSections } from './root-sections.ts';

/** Groups that clients know from the v2 document alone: what registers group versions is none of them itself. */
const ONLY_V2: ReadonlySet<string> = new Set(['apiregistration']);

/** What is served, as far as documents need to know. */
export type Served = Pick<Registry, 'schema' | 'naming' | 'groups' | 'allServed'>;

/** The sections of everything built in that a server serves. */
export function builtInSections(registry: Served): Section[] {
  const { schema, naming } = registry;
  const options = { schema, naming, definitions: new MessageDefinitions(naming) };
  const groups = registry.groups.flatMap(({ name, versions }) => {
    const group = { name, short: naming.shortGroup(name) ?? name };
    const onlyV2 = ONLY_V2.has(group.short);
    const ofVersions = versions.map((version): Section => {
      const served = registry.allServed.filter((one) => one.group === name && one.version === version);
      return {
        onlyV2,
        key: name === '' ? `api/${version}` : `apis/${name}/${version}`,
        paths: () =>
          new Map([
            ...resourceListPaths(options, group, version),
            ...served.flatMap((one) => [...resourcePaths(options, one)]),
          ]),
      };
    });
    return name === '' ? ofVersions : [{ ...groupSection(options, group), onlyV2 }, ...ofVersions];
  });
  return [...rootSections(options), ...discoveryRoots(options), ...groups];
}
