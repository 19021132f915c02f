import { namingProfiles } from '../naming/create-naming.ts';
import type { Naming } from '../naming/naming.ts';

/** How a flag's text is read; see `flag-values.ts`. */
export type FlagType =
  | 'bool'
  | 'duration'
  | 'float'
  | 'float32'
  | 'int'
  | 'ip'
  | 'Level'
  | 'mapStringBool'
  | 'mapStringString'
  | 'namedCertKey'
  | 'portRange'
  | 'settings'
  | 'string'
  | 'stringArray'
  | 'strings'
  | 'stringToString';

export interface FlagDefinition {
  /** Without dashes. `{product}` stands for the product's word. */
  readonly name: string;
  readonly type: FlagType;
  /** As text, as `--help` shows it. Absent: the zero value of the type. */
  readonly default?: string | ((naming: Naming) => string);
  readonly deprecated?: true;
  /** The flag has its effect. Others may only be given with their default value. */
  readonly built?: true;
  readonly about?: string;
}

/**
 * Every flag of the API server by section, in the names of the field. A flag gets its effect by a reader of
 * `ServerOptions` and `built: true` here.
 */
export const flagSections = {
  Generic: [
    {
      name: 'advertise-address',
      type: 'ip',
      built: true,
      about: 'address under which clients inside the cluster reach this replica',
    },
    {
      name: 'cors-allowed-origins',
      type: 'strings',
      built: true,
      about: 'regular expressions (RE2), one of which must be found in the origin of pages that may use this server',
    },
    {
      name: 'default-not-ready-toleration-seconds',
      type: 'int',
      default: '300',
      built: true,
      about: 'how long pods that do not say otherwise stay on a node that is not ready',
    },
    {
      name: 'default-unreachable-toleration-seconds',
      type: 'int',
      default: '300',
      built: true,
      about: 'how long pods that do not say otherwise stay on a node that cannot be reached',
    },
    {
      name: 'enable-priority-and-fairness',
      type: 'bool',
      default: 'true',
      built: true,
      about:
        'keep the objects of priority and fairness at start; requests are limited by the two in-flight flags either way',
    },
    {
      name: 'external-hostname',
      type: 'string',
      built: true,
      about: 'host, or host:port, under which clients outside reach this server, in discovery and for keys of tokens',
    },
    {
      name: 'feature-gates',
      type: 'mapStringBool',
      built: true,
      about: 'gates to switch, NAME=true|false, separated by commas',
    },
    {
      name: 'goaway-chance',
      type: 'float',
      built: true,
      about: 'accepted from 0 to 0.02: it speaks of connections of HTTP/2, which are not offered',
    },
    {
      name: 'livez-grace-period',
      type: 'duration',
      built: true,
      about: 'how long after the start /livez trusts that what begins with the server will end well',
    },
    { name: 'master-service-namespace', type: 'string', default: 'default', deprecated: true },
    {
      name: 'max-mutating-requests-inflight',
      type: 'int',
      default: '200',
      built: true,
      about: 'how many requests that write may run at once; more get 429, 0 is no limit',
    },
    {
      name: 'max-requests-inflight',
      type: 'int',
      default: '400',
      built: true,
      about: 'how many requests that read may run at once, watches only until they have started; 0 is no limit',
    },
    {
      name: 'min-request-timeout',
      type: 'int',
      default: '1800',
      built: true,
      about: 'shortest time in seconds after which the server ends a watch (the longest is twice that)',
    },
    {
      name: 'request-timeout',
      type: 'duration',
      default: '1m0s',
      built: true,
      about: 'time limit of requests that are not watches',
    },
    {
      name: 'shutdown-delay-duration',
      type: 'duration',
      built: true,
      about: 'how long a server that ends goes on serving while /readyz already fails',
    },
    {
      name: 'shutdown-send-retry-after',
      type: 'bool',
      built: true,
      about: 'after --shutdown-delay-duration answer 429 with Retry-After until the requests under way have ended',
    },
    {
      name: 'strict-transport-security-directives',
      type: 'strings',
      built: true,
      about: 'max-age=SECONDS, includeSubDomains, preload: what browsers are told about the use of TLS; empty: nothing',
    },
    {
      name: 'naming',
      type: 'string',
      default: namingProfiles[0]!,
      built: true,
      about: `whose words the interface speaks: ${namingProfiles.join(', ')}; the choice is kept with the data`,
    },
    {
      name: 'workers',
      type: 'int',
      default: '1',
      built: true,
      about: 'processes that share the port, each a full replica with a copy of everything in memory',
    },
  ],
  Etcd: [
    {
      name: 'delete-collection-workers',
      type: 'int',
      default: '1',
      built: true,
      about: 'how many objects of a collection that is deleted are worked on at once',
    },
    {
      name: 'enable-garbage-collector',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'let deletes that orphan or wait for dependents hold objects until the garbage collector was there',
    },
    { name: 'encryption-provider-config', type: 'string' },
    { name: 'etcd-cafile', type: 'string', built: true, about: 'CA bundle (PEM) that verifies etcd' },
    { name: 'etcd-certfile', type: 'string', built: true, about: 'client certificate (PEM) for etcd' },
    {
      name: 'etcd-compaction-interval',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'how often history in etcd is compacted; 0 leaves compaction to somebody else',
    },
    {
      name: 'etcd-count-metric-poll-period',
      type: 'duration',
      default: '1m0s',
      built: true,
      about: '0 leaves out the metric of stored objects; they are counted in memory, whenever metrics are asked for',
    },
    {
      name: 'etcd-db-metric-poll-interval',
      type: 'duration',
      default: '30s',
      built: true,
      about: 'how often etcd is asked for the size of its database; 0 for never',
    },
    {
      name: 'etcd-healthcheck-timeout',
      type: 'duration',
      default: '2s',
      built: true,
      about: 'how long /healthz and /livez wait for etcd',
    },
    { name: 'etcd-keyfile', type: 'string', built: true, about: 'key (PEM) of the client certificate for etcd' },
    {
      name: 'etcd-prefix',
      type: 'string',
      default: '/registry',
      built: true,
      about: 'prefix of everything stored in etcd',
    },
    {
      name: 'etcd-readycheck-timeout',
      type: 'duration',
      default: '2s',
      built: true,
      about: 'how long /readyz waits for etcd',
    },
    { name: 'etcd-servers', type: 'strings', built: true, about: 'addresses of etcd, separated by commas' },
    { name: 'etcd-servers-overrides', type: 'strings' },
    {
      name: 'lease-reuse-duration-seconds',
      type: 'int',
      default: '60',
      built: true,
      about: 'how long objects with a time to live join a lease of etcd; they live up to so much longer',
    },
    { name: 'storage-backend', type: 'string', built: true, about: 'etcd3 or nothing: there is no other' },
    {
      name: 'storage-media-type',
      type: 'string',
      default: (naming) => naming.protobufMediaType,
      built: true,
      about: 'accepted for manifests that give it: objects are stored as JSON',
    },
    {
      name: 'watch-cache',
      type: 'bool',
      default: 'true',
      about: 'the cache cannot be switched off: lists and watches are answered from it',
    },
    {
      name: 'watch-cache-sizes',
      type: 'strings',
      built: true,
      about: 'RESOURCE[.GROUP]#SIZE, a hint that changes nothing: the cache holds every object',
    },
  ],
  'Secure serving': [
    { name: 'bind-address', type: 'ip', default: '0.0.0.0', built: true, about: 'address to listen on' },
    {
      name: 'cert-dir',
      type: 'string',
      default: (naming) => `/var/run/${naming.product}`,
      built: true,
      about: 'folder for a certificate that signs itself, which is made where --tls-cert-file is not given',
    },
    {
      name: 'http2-max-streams-per-connection',
      type: 'int',
      built: true,
      about: 'accepted: it speaks of connections of HTTP/2, which are not offered',
    },
    {
      name: 'permit-address-sharing',
      type: 'bool',
      built: true,
      about: 'listen where connections of an earlier server are still being closed (SO_REUSEADDR): always so here',
    },
    {
      name: 'permit-port-sharing',
      type: 'bool',
      built: true,
      about: 'let several servers listen on the port (SO_REUSEPORT); the system spreads connections over them',
    },
    { name: 'secure-port', type: 'int', default: '6443', built: true, about: 'port to listen on, always with TLS' },
    { name: 'tls-cert-file', type: 'string', built: true, about: 'serving certificate (PEM), with its chain' },
    {
      name: 'tls-cipher-suites',
      type: 'strings',
      built: true,
      about: 'suites of TLS 1.2 that clients may use, by their names of IANA; those of TLS 1.3 are always there',
    },
    { name: 'tls-min-version', type: 'string', built: true, about: 'VersionTLS12 (default) or VersionTLS13' },
    { name: 'tls-private-key-file', type: 'string', built: true, about: 'key (PEM) of the serving certificate' },
    {
      name: 'tls-sni-cert-key',
      type: 'namedCertKey',
      default: '[]',
      built: true,
      about:
        'CERTFILE,KEYFILE[:NAME,…]: what clients are shown that ask for a name, or for one in it; can be given repeatedly',
    },
  ],
  Auditing: [
    {
      name: 'audit-log-batch-buffer-size',
      type: 'int',
      default: '10000',
      built: true,
      about: 'events that may wait for the log in mode batch; further ones are lost',
    },
    {
      name: 'audit-log-batch-max-size',
      type: 'int',
      default: '1',
      built: true,
      about: 'events written together in mode batch, at the most',
    },
    {
      name: 'audit-log-batch-max-wait',
      type: 'duration',
      built: true,
      about: 'how long an event waits for others in mode batch',
    },
    {
      name: 'audit-log-batch-throttle-burst',
      type: 'int',
      built: true,
      about: 'batches written at once where they are throttled',
    },
    { name: 'audit-log-batch-throttle-enable', type: 'bool', built: true, about: 'limit how many batches are written' },
    {
      name: 'audit-log-batch-throttle-qps',
      type: 'float32',
      built: true,
      about: 'batches per second where they are throttled',
    },
    { name: 'audit-log-compress', type: 'bool', built: true, about: 'compress logs that were put away (gzip)' },
    {
      name: 'audit-log-format',
      type: 'string',
      default: 'json',
      built: true,
      about: 'json (an event a line) or legacy (one line of text, without bodies)',
    },
    {
      name: 'audit-log-maxage',
      type: 'int',
      built: true,
      about: 'days that logs are kept after they were put away; 0 for ever',
    },
    {
      name: 'audit-log-maxbackup',
      type: 'int',
      built: true,
      about: 'logs that are kept after they were put away; 0 all',
    },
    {
      name: 'audit-log-maxsize',
      type: 'int',
      built: true,
      about: 'megabytes after which a log is put away; 0 for 100',
    },
    {
      name: 'audit-log-mode',
      type: 'string',
      default: 'blocking',
      built: true,
      about:
        'batch (requests do not wait), blocking (they do), blocking-strict (they fail when they cannot be recorded)',
    },
    {
      name: 'audit-log-path',
      type: 'string',
      built: true,
      about: 'file for audit events, - for standard output; empty: no log',
    },
    { name: 'audit-log-truncate-enabled', type: 'bool', built: true, about: 'cut events and batches down to a size' },
    {
      name: 'audit-log-truncate-max-batch-size',
      type: 'int',
      default: '10485760',
      built: true,
      about: 'bytes of a batch; larger ones are split',
    },
    {
      name: 'audit-log-truncate-max-event-size',
      type: 'int',
      default: '102400',
      built: true,
      about: 'bytes of an event; larger ones lose their bodies, or are lost',
    },
    {
      name: 'audit-log-version',
      type: 'string',
      default: (naming) => naming.apiVersion('audit', 'v1'),
      built: true,
      about: 'group version of the events',
    },
    {
      name: 'audit-policy-file',
      type: 'string',
      built: true,
      about: 'which requests are recorded, and how much of them; empty: none',
    },
    {
      name: 'audit-webhook-batch-buffer-size',
      type: 'int',
      default: '10000',
      built: true,
      about: 'events that may wait for the webhook in mode batch; further ones are lost',
    },
    {
      name: 'audit-webhook-batch-max-size',
      type: 'int',
      default: '400',
      built: true,
      about: 'events sent together in mode batch, at the most',
    },
    {
      name: 'audit-webhook-batch-max-wait',
      type: 'duration',
      default: '30s',
      built: true,
      about: 'how long an event waits for others in mode batch',
    },
    {
      name: 'audit-webhook-batch-throttle-burst',
      type: 'int',
      default: '15',
      built: true,
      about: 'batches sent at once where they are throttled',
    },
    {
      name: 'audit-webhook-batch-throttle-enable',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'limit how many batches are sent',
    },
    {
      name: 'audit-webhook-batch-throttle-qps',
      type: 'float32',
      default: '10',
      built: true,
      about: 'batches per second where they are throttled',
    },
    {
      name: 'audit-webhook-config-file',
      type: 'string',
      built: true,
      about: 'connection file of the server that takes audit events; empty: none',
    },
    {
      name: 'audit-webhook-initial-backoff',
      type: 'duration',
      default: '10s',
      built: true,
      about: 'wait before a failed send is tried again; grows with each attempt',
    },
    {
      name: 'audit-webhook-mode',
      type: 'string',
      default: 'batch',
      built: true,
      about:
        'batch (requests do not wait), blocking (they do), blocking-strict (they fail when they cannot be recorded)',
    },
    {
      name: 'audit-webhook-truncate-enabled',
      type: 'bool',
      built: true,
      about: 'cut events and batches down to a size',
    },
    {
      name: 'audit-webhook-truncate-max-batch-size',
      type: 'int',
      default: '10485760',
      built: true,
      about: 'bytes of a batch; larger ones are split',
    },
    {
      name: 'audit-webhook-truncate-max-event-size',
      type: 'int',
      default: '102400',
      built: true,
      about: 'bytes of an event; larger ones lose their bodies, or are lost',
    },
    {
      name: 'audit-webhook-version',
      type: 'string',
      default: (naming) => naming.apiVersion('audit', 'v1'),
      built: true,
      about: 'group version of the events',
    },
  ],
  Features: [
    {
      name: 'contention-profiling',
      type: 'bool',
      built: true,
      about: 'accepted with a warning: there are no locks between threads that could be profiled',
    },
    {
      name: 'profiling',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'accepted for configurations that switch it off: profiles are never served',
    },
  ],
  Authentication: [
    {
      name: 'anonymous-auth',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'let requests without credentials in as `system:anonymous`',
    },
    {
      name: 'api-audiences',
      type: 'strings',
      built: true,
      about: 'audiences of this server, which tokens must be meant for; by default the issuers',
    },
    {
      name: 'authentication-token-webhook-cache-ttl',
      type: 'duration',
      default: '2m0s',
      built: true,
      about: 'how long verdicts of the token webhook are kept',
    },
    {
      name: 'authentication-token-webhook-config-file',
      type: 'string',
      built: true,
      about: 'connection file of a server that judges bearer tokens',
    },
    {
      name: 'authentication-token-webhook-version',
      type: 'string',
      default: 'v1beta1',
      built: true,
      about: 'version of TokenReview that the token webhook speaks: v1 or v1beta1',
    },
    {
      name: 'client-ca-file',
      type: 'string',
      built: true,
      about: 'CA bundle (PEM) that client certificates are verified against',
    },
    {
      name: 'enable-bootstrap-token-auth',
      type: 'bool',
      built: true,
      about: 'accept bootstrap tokens (secrets in the system namespace)',
    },
    {
      name: 'oidc-ca-file',
      type: 'string',
      built: true,
      about: "CA bundle (PEM) for the OpenID Connect issuer; by default the machine's",
    },
    {
      name: 'oidc-client-id',
      type: 'string',
      built: true,
      about: 'client id that tokens of the OpenID Connect issuer must be meant for',
    },
    {
      name: 'oidc-groups-claim',
      type: 'string',
      built: true,
      about: "claim that holds the user's groups",
    },
    {
      name: 'oidc-groups-prefix',
      type: 'string',
      built: true,
      about: 'put before groups of the OpenID Connect issuer',
    },
    {
      name: 'oidc-issuer-url',
      type: 'string',
      built: true,
      about: 'https URL of an OpenID Connect issuer whose tokens are accepted',
    },
    {
      name: 'oidc-required-claim',
      type: 'mapStringString',
      built: true,
      about: 'claim=value that tokens of the OpenID Connect issuer must carry',
    },
    {
      name: 'oidc-signing-algs',
      type: 'strings',
      default: '[RS256]',
      built: true,
      about: 'algorithms that tokens of the OpenID Connect issuer may be signed with',
    },
    {
      name: 'oidc-username-claim',
      type: 'string',
      default: 'sub',
      built: true,
      about: "claim that holds the user's name",
    },
    {
      name: 'oidc-username-prefix',
      type: 'string',
      built: true,
      about: 'put before names of the OpenID Connect issuer; - for none',
    },
    {
      name: 'requestheader-allowed-names',
      type: 'strings',
      built: true,
      about: "common names that a front proxy's certificate may have; empty for any",
    },
    {
      name: 'requestheader-client-ca-file',
      type: 'string',
      built: true,
      about: 'CA bundle (PEM) that front proxies are verified against',
    },
    {
      name: 'requestheader-extra-headers-prefix',
      type: 'strings',
      built: true,
      about: 'prefixes of the headers in which a front proxy hands on extra attributes',
    },
    {
      name: 'requestheader-group-headers',
      type: 'strings',
      built: true,
      about: 'headers in which a front proxy hands on groups',
    },
    {
      name: 'requestheader-username-headers',
      type: 'strings',
      built: true,
      about: 'headers in which a front proxy hands on the user name',
    },
    {
      name: 'service-account-extend-token-expiration',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'let tokens that pods mount live for a year, for clients that read them once',
    },
    {
      name: 'service-account-issuer',
      type: 'stringArray',
      built: true,
      about: 'issuer of service account tokens; the first one signs, all are accepted',
    },
    {
      name: 'service-account-jwks-uri',
      type: 'string',
      built: true,
      about: 'where the keys of service account tokens are said to be published',
    },
    {
      name: 'service-account-key-file',
      type: 'stringArray',
      built: true,
      about: 'public or private keys (PEM) that service account tokens are verified with',
    },
    {
      name: 'service-account-lookup',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'refuse tokens whose service account, pod or secret is gone',
    },
    {
      name: 'service-account-max-token-expiration',
      type: 'duration',
      built: true,
      about: 'longest lifetime of service account tokens; 0 for any',
    },
    {
      name: 'token-auth-file',
      type: 'string',
      built: true,
      about: 'CSV file of static bearer tokens: token,user,uid,"group,group"',
    },
  ],
  Authorization: [
    {
      name: 'authorization-mode',
      type: 'strings',
      default: '[AlwaysAllow]',
      built: true,
      about: 'authorizers in order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    },
    {
      name: 'authorization-policy-file',
      type: 'string',
      built: true,
      about: 'policies of the mode ABAC, one JSON object a line',
    },
    {
      name: 'authorization-webhook-cache-authorized-ttl',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'how long an answer of the mode Webhook that allows counts',
    },
    {
      name: 'authorization-webhook-cache-unauthorized-ttl',
      type: 'duration',
      default: '30s',
      built: true,
      about: 'how long any other answer of the mode Webhook counts',
    },
    {
      name: 'authorization-webhook-config-file',
      type: 'string',
      built: true,
      about: 'connection file of the server that the mode Webhook asks',
    },
    {
      name: 'authorization-webhook-version',
      type: 'string',
      default: 'v1beta1',
      built: true,
      about: 'version of the reviews that are sent: v1 or v1beta1',
    },
  ],
  'API enablement': [
    {
      name: 'runtime-config',
      type: 'settings',
      built: true,
      about:
        'API versions to switch: api/all, api/beta, GROUP/VERSION or GROUP/VERSION/RESOURCE, each with =true or =false',
    },
  ],
  'Egress selector': [{ name: 'egress-selector-config-file', type: 'string' }],
  Admission: [
    {
      name: 'admission-control',
      type: 'strings',
      deprecated: true,
      built: true,
      about:
        'the admission plug-ins that run, and no others; prefer --enable-admission-plugins and --disable-admission-plugins',
    },
    {
      name: 'admission-control-config-file',
      type: 'string',
      built: true,
      about: 'file with an AdmissionConfiguration: the configuration of admission plug-ins',
    },
    {
      name: 'disable-admission-plugins',
      type: 'strings',
      built: true,
      about: 'admission plug-ins to switch off that are on by default, separated by commas',
    },
    {
      name: 'enable-admission-plugins',
      type: 'strings',
      built: true,
      about: 'admission plug-ins to switch on besides the default ones; their order means nothing',
    },
  ],
  Metrics: [
    {
      name: 'allow-metric-labels',
      type: 'stringToString',
      default: '[]',
      built: true,
      about: 'METRIC,LABEL=VALUE,VALUE: the values that a label may have; others are counted together as `unexpected`',
    },
    { name: 'disabled-metrics', type: 'strings', built: true, about: 'names of metrics that are left out' },
    {
      name: 'show-hidden-metrics-for-version',
      type: 'string',
      built: true,
      about: 'the previous minor version, whose metrics would be shown again; none have been hidden since',
    },
  ],
  Logs: [
    {
      name: 'log-flush-frequency',
      type: 'duration',
      default: '5s',
      built: true,
      about: 'accepted for manifests that give it: lines are written at once',
    },
    {
      name: 'logging-format',
      type: 'string',
      default: 'json',
      built: true,
      about: 'json, or text, which is accepted with a warning: the log is lines of JSON',
    },
    { name: 'logtostderr', type: 'bool', default: 'true', deprecated: true, about: 'the log goes to standard output' },
    {
      name: 'v',
      type: 'Level',
      built: true,
      about: 'how much is logged: from 4 on also what helps to find mistakes (debug), from 6 on everything (trace)',
    },
    { name: 'vmodule', type: 'string', built: true, about: 'accepted with a warning: --v is for the whole log' },
  ],
  Traces: [{ name: 'tracing-config-file', type: 'string' }],
  Misc: [
    { name: 'aggregator-reject-forwarding-redirect', type: 'bool', default: 'true' },
    { name: 'allow-privileged', type: 'bool', built: true, about: 'allow privileged containers' },
    { name: 'enable-aggregator-routing', type: 'bool' },
    {
      name: 'endpoint-reconciler-type',
      type: 'string',
      default: 'lease',
      built: true,
      about: 'lease (replicas keep themselves in the endpoints of their service) or none (somebody else writes those)',
    },
    {
      name: 'event-ttl',
      type: 'duration',
      default: '1h0m0s',
      built: true,
      about: 'how long events are kept',
    },
    { name: 'identity-lease-duration-seconds', type: 'int', default: '3600' },
    { name: 'identity-lease-renew-interval-seconds', type: 'int', default: '10' },
    {
      name: 'kubelet-certificate-authority',
      type: 'string',
      built: true,
      about: 'CA bundle (PEM) that node agents are verified against; without it they are not verified',
    },
    {
      name: 'kubelet-client-certificate',
      type: 'string',
      built: true,
      about: 'client certificate (PEM) that is shown to node agents',
    },
    {
      name: 'kubelet-client-key',
      type: 'string',
      built: true,
      about: 'key (PEM) of the client certificate for node agents',
    },
    {
      name: 'kubelet-preferred-address-types',
      type: 'strings',
      default: '[Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]',
      built: true,
      about: 'which addresses of a node are tried first, in this order',
    },
    {
      name: 'kubelet-timeout',
      type: 'duration',
      default: '5s',
      built: true,
      about: 'how long connecting to a node agent may take',
    },
    {
      name: '{product}-service-node-port',
      type: 'int',
      built: true,
      about: 'port of nodes for the service of this system, when that is made; 0: it is inside the cluster only',
    },
    {
      name: 'max-connection-bytes-per-sec',
      type: 'int',
      built: true,
      about: 'limit of each direction of upgraded connections (exec, attach, port-forward, proxy); 0 for none',
    },
    { name: 'proxy-client-cert-file', type: 'string' },
    { name: 'proxy-client-key-file', type: 'string' },
    {
      name: 'service-account-signing-key-file',
      type: 'string',
      built: true,
      about: 'private key (PEM) that signs service account tokens',
    },
    {
      name: 'service-cluster-ip-range',
      type: 'string',
      built: true,
      about: 'networks (CIDR, one per address family) that cluster IPs are given out from',
    },
    {
      name: 'service-node-port-range',
      type: 'portRange',
      default: '30000-32767',
      built: true,
      about: 'where node ports of services come from',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();

type Row = (typeof flagSections)[keyof typeof flagSections][number];

/** The names of all flags, as in the table. */
export type FlagName = Row['name'];

/** The type that a flag is declared with. */
export type FlagTypeOf<Name extends FlagName> = Extract<Row, { readonly name: Name }>['type'];
