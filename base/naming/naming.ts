/** The product whose words an installation uses. It is fixed at start and recorded in the data. */
export type NamingProfile = 'orch' | 'kubernetes';

/** The place of a user's preferences for the command-line client. */
export interface PreferenceWords {
  /** The name of the file, in the folder of the client. */
  readonly file: string;
  /** The environment variable that names another file. */
  readonly variable: string;
  /** The API group of the file. */
  readonly group: string;
}

/**
 * One naming profile, fixed at start. `base/naming` is the only place that contains vendor words; all other code uses
 * this interface. Neutral short forms do not contain the domain. `createNaming` (create-naming.ts) makes it. All
 * methods are table look-ups or one concatenation, so that requests may call them.
 */
export interface Naming {
  readonly profile: NamingProfile;
  /** The product's word in lower case: the name of the API's own service and of the namespace finalizer. */
  readonly product: string;
  /** The name of the spans of requests in traces. */
  readonly tracedApi: string;
  /** The name of the command-line client in manager names, annotations and help texts. */
  readonly commandLine: string;
  /** A group in the form that clients write, from its short form: `group('rbac.authorization')`. Groups without a
   * domain ('' 'apps' 'batch' 'autoscaling' 'policy' 'extensions') and custom groups ('stable.example.com') are
   * unchanged. */
  group(short: string): string;
  /** The short form of a built-in group that a client wrote; undefined for any other group. */
  shortGroup(group: string): string | undefined;
  /** The form in which the server keeps the name of a group, also in keys. A built-in group has its short form. Any
   * other group keeps its own name. A colon is added to a name that would look like a short form
   * (`rbac.authorization:`). `group()` undoes this. */
  shortForm(group: string): string;
  /**
   * The `group/version` of an apiVersion, from the short form of the group. For the core group it is the version alone.
   */
  apiVersion(shortGroup: string, version: string): string;
  /**
   * The key of a label, annotation, finalizer, taint, signer or secret type. `key('metadata.name')` is directly under
   * the product's domain. `key('node/not-ready')` is under its subdomain `node`. `key('node-restriction/')` is a
   * prefix. A subdomain with the name of a component has a short form: `key('ctl/restartedAt')` is a key of the
   * command-line client, and `key('aggregator/automanaged')` of the aggregator. The controller manager shows its
   * configuration under `key('controllermanager.config')`.
   */
  key(short: string): string;
  /**
   * The domain of keys, or a subdomain of it: `domain()`, `domain('node')`. Names that look like a subdomain come from
   * here too: finalizers (`domain('customresourcecleanup.apiextensions')`) and subprotocols (`domain('v4.channel')`).
   * For groups use `group()`, because the two domains differ in the upstream profile.
   */
  domain(sub?: string): string;
  /** All domains that belong to the product (the upstream profile has two). */
  readonly domains: readonly string[];
  /** A name with the product's short prefix: `prefixed('system')` is the system namespace. Other names are 'public',
   * 'node-lease', 'root-ca.crt', 'api-access-', 'controller-manager', 'scheduler', 'apiserver', 'proxy', 'dns',
   * 'aggregator'. */
  prefixed(name: string): string;
  /** The prefix of encrypted values in the store. The name of the encryption follows it. */
  readonly sealedPrefix: string;
  readonly protobufMediaType: string;
  /** The four bytes before each protobuf answer. They are the same in both profiles. */
  readonly protobufMagic: Uint8Array;
  /** A response header of the product: `header('PF-FlowSchema-UID')`. */
  header(name: string): string;
  /** Prefix of OpenAPI extensions and of merge markers, with the trailing dash. */
  readonly extensionPrefix: string;
  /** The prefix of schema formats of this field: `short-name`. */
  readonly formatPrefix: string;
  /** The condition of a definition about the approval of its group. */
  readonly approvalCondition: string;
  /**
   * Whether a condition is the approval condition in the words of any profile. Earlier builds wrote it in the upstream
   * words.
   */
  isApprovalCondition(type: string): boolean;
  /**
   * Whether the signatures in the public connection file cover whole tokens. Otherwise they cover only the part after
   * the dot, which upstream clients verify.
   */
  readonly signsWithWholeTokens: boolean;
  /** The issuer that tokens kept in secrets name. */
  readonly secretTokenIssuer: string;
  /** The environment variable by which a credential plug-in of a client learns about the cluster. */
  readonly execInfoVariable: string;
  /** The environment variable that lists a client's connection files. */
  readonly connectionVariable: string;
  /** The environment variable that names the editor of a client. */
  readonly editorVariable: string;
  /** The environment variable that names the program by which a client shows how files differ. */
  readonly diffVariable: string;
  /** The folder in a user's home for the connection file and the caches of clients. */
  readonly clientFolder: string;
  /** The place of a user's preferences for the command-line client. */
  readonly preferences: PreferenceWords;
  /**
   * A prefix of a release that the command line accepts, without the equals sign (`kube=1.29`). Undefined means no
   * prefix.
   */
  readonly releaseComponent: string | undefined;
  /** A text of the neutral naming (bootstrap objects, OpenAPI names, metric names) in this profile. */
  translate(text: string): string;
}
