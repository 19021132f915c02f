import assert from 'node:assert/strict';
import { readServerOptions, type ServerOptions } from './options.ts';
import { parseFlags } from './parse-flags.ts';

const least = [
  '--etcd-servers=http://127.0.0.1:2379',
  '--tls-cert-file=server.crt',
  '--tls-private-key-file=server.key',
];

function options(...argv: string[]): ServerOptions {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readServerOptions(invocation.flags);
}

describe('readServerOptions', () => {
  it('needs only etcd and a certificate', () => {
    const { gates, runtimeConfig, naming, release, flags, ...rest } = options(...least);
    assert.deepEqual(new Map(flags).get('service-node-port-range'), '30000-32767');
    assert.deepEqual(rest, {
      etcd: {
        endpoint: { kind: 'etcd', servers: ['http://127.0.0.1:2379'] },
        overrides: [],
        prefix: '/registry',
        caFile: undefined,
        certFile: undefined,
        keyFile: undefined,
        startTimeoutMs: 30_000,
        compactionIntervalMs: 300_000,
        leaseReuseSeconds: 60,
        encryption: undefined,
      },
      serving: {
        address: '0.0.0.0',
        port: 6443,
        advertiseAddress: undefined,
        externalAddress: '0.0.0.0:6443',
        certFile: 'server.crt',
        keyFile: 'server.key',
        makesCertificate: false,
        namedCertificates: [],
        sharePort: false,
        proxies: undefined,
        tls: { minVersion: 'TLSv1.2', ciphers: undefined },
      },
      http: {
        allowedOrigins: [],
        transportPolicy: undefined,
        http2: { maxStreams: 0, goawayChance: 0 },
        inflight: { reading: 400, mutating: 200 },
        shutdownDelayMs: 0,
        retryAfterWhenStopping: false,
        slowRequestMs: 1000,
        profiling: true,
      },
      authentication: {
        // Every user has all rights, so anonymous requests are refused.
        anonymous: false,
        audiences: [],
        clientCaFile: undefined,
        tokenFile: undefined,
        bootstrapTokens: false,
        serviceAccounts: {
          issuers: [],
          keyFiles: [],
          tlsKeyFile: 'server.key',
          signingKeyFile: undefined,
          lookup: true,
          maxExpirationSeconds: 0,
          extendExpiration: true,
          keysUrl: undefined,
          serverUrl: 'https://0.0.0.0:6443',
        },
        frontProxy: undefined,
        configurationFile: undefined,
        oidc: undefined,
        webhook: undefined,
      },
      authorizationModes: ['AlwaysAllow'],
      authorization: { configurationFile: undefined, policyFile: undefined, webhook: undefined },
      audit: { policyFile: undefined, logFile: undefined, webhook: undefined },
      tracing: undefined,
      metrics: {
        limits: { disabled: [], allowedValues: new Map(), showsHidden: false },
        databaseSizeIntervalMs: 30_000,
      },
      workers: 1,
      requestTimeoutMs: 60_000,
      verbs: { allowPrivileged: false, collectsGarbage: true, deleteWorkers: 1, minWatchSeconds: 1800 },
      admission: {
        enabled: [],
        disabled: [],
        exactly: [],
        configFile: undefined,
        tolerationSeconds: { notReady: 300, unreachable: 300 },
      },
      health: { graceMs: 0, storeTimeoutMs: { health: 2000, readiness: 2000 } },
      eventTtlSeconds: 3600,
      serviceClusterIpRanges: [],
      serviceNodePortRange: [30000, 32767],
      aggregation: { identity: undefined, passesRedirects: false },
      callsEndpoints: false,
      nodeAgent: {
        certFile: undefined,
        keyFile: undefined,
        caFile: undefined,
        preferredAddressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
        timeoutMs: 5000,
      },
      connectionBytesPerSecond: 0,
      describesFields: true,
      ownService: { writesEndpoints: true, nodePort: 0 },
      keepsFlowControl: true,
      verbosity: undefined,
      logFormat: 'json',
      warnings: [],
    });
  });

  it('accepts a signing key without a verification key', () => {
    const { serviceAccounts } = options(
      ...least,
      '--service-account-issuer=https://issuer.example',
      '--service-account-signing-key-file=sa.key',
      '--tls-cert-file=a.crt',
      '--tls-private-key-file=a.key',
    ).authentication;
    assert.deepEqual(
      [serviceAccounts.signingKeyFile, serviceAccounts.keyFiles, serviceAccounts.tlsKeyFile],
      ['sa.key', [], 'a.key'],
    );
  });

  it('reads the flags of a full installation', () => {
    const full = options(
      ...least,
      '--naming=kubernetes',
      '--etcd-prefix=cluster-a/',
      '--authorization-mode=Node,RBAC',
      '--requestheader-client-ca-file=front.crt',
      '--requestheader-username-headers=X-Remote-User',
      '--service-account-issuer=https://issuer.example',
      '--service-account-key-file=sa.pub',
      '--service-account-signing-key-file=sa.key',
      '--service-cluster-ip-range=10.0.0.0/24,fd00::/108',
      '--etcd-compaction-interval=1m30s',
    );
    assert.equal(full.naming.profile, 'kubernetes');
    assert.equal(full.etcd.prefix, '/cluster-a');
    assert.deepEqual(full.authorizationModes, ['Node', 'RBAC']);
    assert.equal(full.authentication.anonymous, true);
    assert.deepEqual(full.authentication.frontProxy?.usernameHeaders, ['X-Remote-User']);
    assert.equal(full.authentication.serviceAccounts.signingKeyFile, 'sa.key');
    assert.deepEqual(full.serviceClusterIpRanges, ['10.0.0.0/24', 'fd00::/108']);
    assert.equal(full.etcd.compactionIntervalMs, 90_000);
  });

  it('selects the release and its feature gates by flag', () => {
    const enabled = (...flags: string[]) => {
      const { release, gates } = options(...least, ...flags);
      return [release.name, gates.enabled('PodSchedulingReadiness')];
    };
    assert.deepEqual(enabled(), ['1.25', false]);
    assert.deepEqual(enabled('--emulated-version=1.27'), ['1.27', true]);
    assert.deepEqual(enabled('--naming=kubernetes', '--emulated-version=kube=1.37'), ['1.37', true]);
    assert.throws(() => enabled('--emulated-version=1.24'), /must be a release from 1\.25 to 1\.37: "1\.24"/);
  });

  it('creates a certificate if none is configured', () => {
    const { serving, authentication, warnings } = options(least[0]!, '--cert-dir=/var/lib/made');
    assert.deepEqual(warnings, []);
    assert.equal(serving.makesCertificate, true);
    assert.equal(serving.certFile, '/var/lib/made/apiserver.crt');
    assert.equal(authentication.serviceAccounts.tlsKeyFile, '/var/lib/made/apiserver.key');
  });

  it('returns the external address of the server', () => {
    const cases: [string[], string][] = [
      [[], '0.0.0.0:6443'],
      [['--advertise-address=192.0.2.1', '--secure-port=7443'], '192.0.2.1:7443'],
      [['--advertise-address=2001:db8::1'], '[2001:db8::1]:6443'],
      [['--advertise-address=192.0.2.1', '--external-hostname=api.example'], 'api.example:6443'],
      [['--external-hostname=api.example:443'], 'api.example:443'],
      [['--external-hostname=[2001:db8::1]:8443'], '[2001:db8::1]:8443'],
    ];
    for (const [argv, address] of cases) {
      const { serving, authentication } = options(...least, ...argv);
      assert.equal(serving.externalAddress, address);
      assert.equal(authentication.serviceAccounts.serverUrl, `https://${address}`);
    }
  });

  it('accepts one endpoint flag for every kind of store', () => {
    const endpoint = (text: string) => options(...least.slice(1), `--datastore-endpoint=${text}`).etcd.endpoint;
    assert.deepEqual(endpoint('http://127.0.0.1:2379'), options(...least).etcd.endpoint);
    assert.deepEqual(endpoint('sqlite:///var/lib/store'), { kind: 'file', file: '/var/lib/store' });
    assert.deepEqual(endpoint('memory:'), { kind: 'memory' });
  });

  it('refuses invalid combinations of flags', () => {
    const cases: [string[], RegExp][] = [
      [least.slice(1), /--etcd-servers is missing/],
      [least.slice(0, 2), /--tls-cert-file and --tls-private-key-file belong together/],
      [[least[0]!, '--cert-dir='], /the server speaks TLS only/],
      [[...least, '--permit-port-sharing', '--workers=2'], /--permit-port-sharing is for --workers=1/],
      [[...least, '--etcd-servers=localhost:2379'], /is not an address like/],
      [[...least, '--etcd-servers=unix://'], /is not an address like/],
      [[...least, '--datastore-endpoint=memory:'], /give --etcd-servers or --datastore-endpoint, not both/],
      [[...least.slice(1), '--datastore-endpoint=sqlite://a'], /is not https:.* sqlite:\/\/\/PATH or memory:/],
      [[...least.slice(1), '--datastore-endpoint=memory:', '--workers=2'], /leave --workers at 1/],
      [[...least.slice(1), '--datastore-endpoint=memory:', '--etcd-cafile=a'], /--etcd-cafile is about etcd/],
      [
        [...least.slice(1), '--datastore-endpoint=memory:', '--etcd-servers-overrides=/events#http://a:2379'],
        /--etcd-servers-overrides needs an etcd/,
      ],
      [[...least, '--etcd-certfile=a'], /--etcd-certfile and --etcd-keyfile belong together/],
      [[...least, '--etcd-prefix=/'], /--etcd-prefix must not be empty/],
      [[...least, '--secure-port=0'], /between 1 and 65535/],
      [[...least, '--authorization-mode=RBAC,Rbac'], /unknown mode "Rbac"/],
      [[...least, '--authorization-mode=RBAC,RBAC'], /names a mode twice/],
      [[...least, '--authorization-mode=ABAC'], /--authorization-policy-file is missing/],
      [[...least, '--authorization-policy-file=x'], /needs ABAC in --authorization-mode/],
      [[...least, '--authorization-mode=Webhook'], /--authorization-webhook-config-file is missing/],
      [
        [
          ...least,
          '--authorization-mode=Webhook',
          '--authorization-webhook-config-file=x',
          '--authorization-webhook-version=v2',
        ],
        /neither v1 nor v1beta1/,
      ],
      [[...least, '--service-account-signing-key-file=a'], /needs --service-account-issuer/],
      [[...least, '--service-account-issuer=:issuer'], /is not a URL/],
      [[...least, '--service-account-jwks-uri=http://a'], /is no https URL/],
      [[...least, '--service-account-max-token-expiration=1m'], /between 1h and/],
      [[...least, '--oidc-client-id=a'], /--oidc-issuer-url and --oidc-client-id belong together/],
      [[...least, '--authentication-token-webhook-version=v2'], /must be v1 or v1beta1/],
      [[...least, '--requestheader-username-headers=X'], /to know whom to believe/],
      [[...least, '--requestheader-client-ca-file=a'], /to know where the user is named/],
      [[...least, '--service-cluster-ip-range=10.0.0.0'], /is not a network/],
      [[...least, '--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24'], /at most one network of each address family/],
      [[...least, '--request-timeout=0'], /--request-timeout must be positive/],
      [[...least, '--external-hostname=https://api.example'], /--external-hostname/],
      [[...least, '--external-hostname=a/b'], /--external-hostname/],
      [[...least, '--cors-allowed-origins=('], /"\(" is not a regular expression/],
      [[...least, '--strict-transport-security-directives=max-age=x'], /is none of max-age=SECONDS/],
      [[...least, '--goaway-chance=0.5'], /between 0 and 0.02/],
      [[...least, '--delete-collection-workers=0'], /--delete-collection-workers must be positive/],
      [[...least, '--lease-reuse-duration-seconds=-1'], /must not be negative/],
      [[...least, '--max-connection-bytes-per-sec=-1'], /must not be negative/],
      [[...least, '--endpoint-reconciler-type=master-count'], /"master-count" is neither lease nor none/],
      [[...least, '--orch-service-node-port=443'], /must be 0, or in --service-node-port-range \(30000-32767\)/],
      [[...least, '--workers=0'], /--workers must be positive/],
      [[...least, '--feature-gates=Nope=true'], /unrecognized feature gate in --feature-gates: Nope/],
      [[...least, '--runtime-config=api/all=false'], /leaves nothing/],
    ];
    for (const [argv, message] of cases) assert.throws(() => options(...argv), { name: 'ConfigError', message });
  });
});
