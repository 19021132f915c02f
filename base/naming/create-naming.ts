import { kubernetesWords } from './kubernetes.ts';
import type { Naming, NamingProfile, PreferenceWords } from './naming.ts';
import { orchWords } from './orch.ts';
import { foreignGroups, ownGroups, type ProfileWords, plainGroups } from './profile-words.ts';

const words: Readonly<Record<NamingProfile, ProfileWords>> = { orch: orchWords, kubernetes: kubernetesWords };

/** The profiles that `--naming` accepts. */
export const namingProfiles = Object.keys(words) as readonly NamingProfile[];

/** The naming of a profile; the same object for every call with the same profile. */
export function createNaming(profile: NamingProfile): Naming {
  const known = made.get(profile);
  if (known !== undefined) return known;
  const naming = new ProfileNaming(words[profile]);
  made.set(profile, naming);
  return naming;
}
const made = new Map<NamingProfile, Naming>();

/** Groups whose short form is the whole name. */
const shortForms: ReadonlySet<string> = new Set([...ownGroups, ...foreignGroups]);

/**
 * The end of the short form of a foreign group whose name looks like the short form of a built-in group. No name of a
 * group contains a colon.
 */
const OTHERS = ':';

/**
 * The last part of the name of the condition that says whether a group is approved. The name of the interface precedes
 * it.
 */
const APPROVAL = 'ApprovalPolicyConformant';

/**
 * The largest number of remembered results. Names under a prefix may come from clients, so the memory must not grow
 * without limit.
 */
const memoLimit = 2048;

class ProfileNaming implements Naming {
  readonly profile: NamingProfile;
  readonly product: string;
  readonly tracedApi: string;
  readonly commandLine: string;
  readonly domains: readonly string[];
  readonly sealedPrefix: string;
  readonly protobufMediaType: string;
  readonly protobufMagic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
  readonly extensionPrefix: string;
  /** The prefix of schema formats that only this field uses, such as `short-name`. */
  readonly formatPrefix: string;
  readonly approvalCondition: string;
  readonly secretTokenIssuer: string;
  readonly signsWithWholeTokens: boolean;
  readonly execInfoVariable: string;
  readonly connectionVariable: string;
  readonly editorVariable: string;
  readonly diffVariable: string;
  readonly clientFolder: string;
  readonly preferences: PreferenceWords;
  readonly releaseComponent: string | undefined;

  readonly #words: ProfileWords;
  readonly #groups = new Map<string, string>();
  readonly #shortGroups = new Map<string, string>();
  readonly #apiVersions = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  constructor(words: ProfileWords) {
    this.#words = words;
    this.profile = words.profile;
    this.product = words.product;
    this.tracedApi = words.tracedApi;
    this.commandLine = words.commandLine;
    this.domains = [...new Set([words.keyDomain, words.groupDomain])];
    this.sealedPrefix = `${words.sealedWord}:enc`;
    this.protobufMediaType = `${words.mediaTypeTree}.protobuf`;
    this.extensionPrefix = words.extensionPrefix;
    this.formatPrefix = words.formatPrefix;
    this.approvalCondition = `${words.tracedApi}${APPROVAL}`;
    this.secretTokenIssuer = `${words.product}/serviceaccount`;
    this.signsWithWholeTokens = words.signsWithWholeTokens;
    this.execInfoVariable = words.execInfoVariable;
    this.connectionVariable = words.connectionVariable;
    this.editorVariable = words.editorVariable;
    this.diffVariable = words.diffVariable;
    this.clientFolder = words.clientFolder;
    this.preferences = words.preferences;
    this.releaseComponent = words.releaseComponent;
    for (const group of plainGroups) this.#groups.set(group, group);
    for (const short of ownGroups) this.#shortGroups.set(this.group(short), short);
  }

  group(short: string): string {
    return memo(this.#groups, short, () => {
      if (short.endsWith(OTHERS)) return short.slice(0, -OTHERS.length);
      if (!shortForms.has(short)) return short;
      const { componentDomains, groupsElsewhere, groupDomain } = this.#words;
      return `${componentDomains[short] ?? short}.${groupsElsewhere[short] ?? groupDomain}`;
    });
  }

  shortGroup(group: string): string | undefined {
    return this.#shortGroups.get(group);
  }

  shortForm(group: string): string {
    return this.#shortGroups.get(group) ?? (shortForms.has(group) ? group + OTHERS : group);
  }

  apiVersion(shortGroup: string, version: string): string {
    if (shortGroup === '') return version;
    return memo(this.#apiVersions, `${shortGroup}/${version}`, () => `${this.group(shortGroup)}/${version}`);
  }

  key(short: string): string {
    return memo(this.#keys, short, () => {
      const exact = this.#words.exactKeys[short];
      if (exact !== undefined) return exact;
      const slash = short.indexOf('/');
      return slash < 0 ? `${this.domain()}/${short}` : `${this.domain(short.slice(0, slash))}${short.slice(slash)}`;
    });
  }

  domain(sub?: string): string {
    const { componentDomains, keyDomain } = this.#words;
    if (!sub) return keyDomain;
    return `${componentDomains[sub] ?? sub}.${this.#domainOfKeysUnder(sub)}`;
  }

  prefixed(name: string): string {
    return this.#words.prefix + name;
  }

  isApprovalCondition(type: string): boolean {
    return namingProfiles.some((profile) => type === words[profile].tracedApi + APPROVAL);
  }

  header(name: string): string {
    return this.#words.headerPrefix + name;
  }

  translate(text: string): string {
    return this.#words.translate?.(text, this) ?? text;
  }

  /**
   * Searches for the subdomain itself, then for the subdomain without its first parts. For example,
   * `gold.storageclass.storage` begins with the name of an object.
   */
  #domainOfKeysUnder(sub: string): string {
    const { keyDomainsElsewhere, keyDomain } = this.#words;
    const found = keyDomainsElsewhere[sub];
    if (found !== undefined) return found;
    for (const suffix of namedSubdomains)
      if (sub.endsWith(`.${suffix}`)) return keyDomainsElsewhere[suffix] ?? keyDomain;
    return keyDomain;
  }
}

/** Subdomains of keys that begin with the name of an object. */
const namedSubdomains = ['storageclass.storage', 'image-policy'];

function memo(map: Map<string, string>, name: string, make: () => string): string {
  const known = map.get(name);
  if (known !== undefined) return known;
  const value = make();
  if (map.size < memoLimit) map.set(name, value);
  return value;
}
