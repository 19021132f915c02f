import type { ResourceType } from '../resource-type.ts';

/** A served type, according to discovery. */
export interface DiscoveredType extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** One version of a group. */
export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly types: readonly DiscoveredType[];
}

/** The served resources. Groups are in the server's order; versions of a group start with the preferred one. */
export class Discovered {
  readonly versions: readonly DiscoveredVersion[];
  /** Group versions (`metrics/v1`) that could not be read, most often because an extension server is down. */
  readonly failed: ReadonlyMap<string, Error>;

  constructor(versions: readonly DiscoveredVersion[], failed: ReadonlyMap<string, Error>) {
    this.versions = versions;
    this.failed = failed;
  }

  /** Every type in every version. */
  get types(): readonly DiscoveredType[] {
    return this.versions.flatMap(({ types }) => types);
  }

  /** Every type once, in the first version that serves it. */
  preferred(): readonly DiscoveredType[] {
    const seen = new Set<string>();
    return this.types.filter(({ group, plural }) => {
      const name = `${plural}.${group}`;
      return !seen.has(name) && seen.add(name) !== undefined;
    });
  }

  /** The types that support all of these verbs, each once. */
  thatCan(...verbs: readonly string[]): readonly DiscoveredType[] {
    return this.preferred().filter((type) => verbs.every((verb) => type.verbs.includes(verb)));
  }

  /** The type of a kind, from the name in objects and owner references. The name may be in lower case. */
  ofKind(apiVersion: string, kind: string): DiscoveredType | undefined {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const version = apiVersion.slice(slash + 1);
    const types = this.versions.find((candidate) => candidate.group === group && candidate.version === version)?.types;
    return types?.find((type) => type.kind === kind) ?? types?.find((type) => type.kind.toLowerCase() === kind);
  }

  /** The first resource for a typed name: `pods`, `pod`, `po`, `deployments.apps`, `deployments.v1.apps`. */
  named(text: string): DiscoveredType | undefined {
    const wanted = text.toLowerCase();
    const fits = ({ plural, singular, shortNames, group, version, kind }: DiscoveredType) => {
      const names = [plural, singular === '' ? kind.toLowerCase() : singular, ...shortNames];
      return names.some(
        (name) => name === wanted || `${name}.${group}` === wanted || `${name}.${version}.${group}` === wanted,
      );
    };
    return this.types.find(({ plural }) => plural === wanted) ?? this.types.find(fits);
  }
}
