import type { Naming, NamingProfile, PreferenceWords } from './naming.ts';

/** Everything that differs between the words of two profiles. The names of groups and keys are in their short form. */
export interface ProfileWords {
  readonly profile: NamingProfile;
  readonly product: string;
  readonly commandLine: string;
  /** The name of a request span in traces. */
  readonly tracedApi: string;
  /** Prefix of namespaces, components and bootstrap objects, with the trailing dash. */
  readonly prefix: string;
  /** The domain of groups, and the few groups that belong to another domain. */
  readonly groupDomain: string;
  readonly groupsElsewhere: Readonly<Record<string, string>>;
  /** The domain of keys, the subdomains that belong to another domain, and the single keys that follow neither rule. */
  readonly keyDomain: string;
  readonly keyDomainsElsewhere: Readonly<Record<string, string>>;
  readonly exactKeys: Readonly<Record<string, string>>;
  /** Subdomains that contain the name of a component: from the short form to the word of this profile. */
  readonly componentDomains: Readonly<Record<string, string>>;
  /** The product's word at the beginning of encrypted values in the store. */
  readonly sealedWord: string;
  readonly mediaTypeTree: string;
  readonly headerPrefix: string;
  readonly extensionPrefix: string;
  /** The prefix of schema formats of this field: `short-name`. */
  readonly formatPrefix: string;
  readonly signsWithWholeTokens: boolean;
  readonly execInfoVariable: string;
  readonly connectionVariable: string;
  readonly editorVariable: string;
  readonly diffVariable: string;
  readonly clientFolder: string;
  readonly preferences: PreferenceWords;
  /** The component whose release `--emulated-version` names; absent if the naming has no components. */
  readonly releaseComponent?: string;
  /** Translates the neutral words in a text; absent if the profile uses the neutral words. */
  readonly translate?: (text: string, naming: Naming) => string;
}

/** Groups of the interface that have no domain. */
export const plainGroups: readonly string[] = ['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy'];

/** Groups of this system, in their short form: the served groups, and those of its callbacks and files. */
export const ownGroups: readonly string[] = [
  ...plainGroups,
  'abac.authorization',
  'admission',
  'admissionregistration',
  'apidiscovery',
  'apiextensions',
  'apiregistration',
  'apiserver',
  'apiserver.config',
  'audit',
  'authentication',
  'authorization',
  'certificates',
  'client.authentication',
  'config',
  'coordination',
  'discovery',
  'eventratelimit.admission',
  'events',
  'flowcontrol.apiserver',
  'imagepolicy',
  'internal.apiserver',
  'meta',
  'networking',
  'node',
  'nodes.config',
  'pod-security.admission.config',
  'podtolerationrestriction.admission',
  'rbac.authorization',
  'resource',
  'resourcequota.admission',
  'scheduler.config',
  'scheduling',
  'storage',
  'storagemigration',
];

/** Groups of related systems that texts mention. This server treats them like groups of users. */
export const foreignGroups: readonly string[] = [
  'adm',
  'cloudcontrollermanager.config',
  'custom.metrics',
  'external.metrics',
  'kubecontrollermanager.config',
  'kubelet.config',
  'kubeproxy.config',
  'kubescheduler.config',
  'metrics',
  'snapshot.storage',
  'testapigroup.apimachinery',
];
