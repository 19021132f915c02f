import { append } from '#base/collections/append.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { WatchedFile } from '#program/files/file-watcher.ts';
import { authenticationConfiguration } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import { type FilePart, readText } from '#program/operator-files/read-file.ts';
import type { Path, Problem } from '#program/operator-files/validate.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { CredentialError, type TokenAuthenticator } from './authenticator.ts';
import { readAuthorities } from './certificate-verifier.ts';
import type { CountReload } from './config-reloads.ts';
import { type ConfiguredIssuer, configuredRules } from './configured-rules.ts';
import { algorithms, type OidcAuthenticator, oidcAuthenticator } from './oidc.ts';

type Configuration = ValueOfKind<typeof authenticationConfiguration>;

/** The inputs for reading the file. */
export interface ConfigurationContext {
  readonly naming: Naming;
  readonly release: Release;
  /** The issuers of service account tokens. No other issuer may have their name. */
  readonly ownIssuers: readonly string[];
  /** Whether the file may set the paths for clients without credentials. */
  readonly limitsAnonymous: boolean;
  readonly counted?: CountedCall;
  /** Receives the errors of a changed file, and errors of issuers outside of requests. */
  readonly onError: (error: unknown) => void;
  /** Returns the function that counts changes. It is called once. */
  readonly reloads?: (() => CountReload) | undefined;
  /** Milliseconds of a clock, for tests. */
  readonly now?: () => number;
}

/** The content of a file. */
interface Configured {
  readonly issuers: readonly OidcAuthenticator[];
  /** The paths that need no credentials; undefined if the file does not set them. */
  readonly anonymous: ((path: string) => boolean) | undefined;
}

/** The issuers and the anonymous paths of `--authentication-config`. They follow changes of the file. */
export class AuthenticationConfiguration {
  readonly #file: WatchedFile<Configured>;

  /**
   * Reads the file at once. A later change with errors has no effect.
   *
   * @throws ConfigError with a line for each mistake
   */
  constructor(file: string, context: ConfigurationContext) {
    let count: CountReload | undefined;
    const make = (content: Buffer) => {
      const made = configuredBy(readText(content.toString('utf8'), file), context);
      count?.(true);
      return made;
    };
    const failed = (error: unknown) => {
      count?.(false);
      context.onError(error);
    };
    this.#file = new WatchedFile(file, make, failed, context.now);
    count = context.reloads?.();
  }

  /** Tries the issuers in their order. The issuer in the token decides. */
  readonly authenticate: TokenAuthenticator = async (token, audiences) => {
    let refusal: CredentialError | undefined;
    for (const { authenticate } of this.#file.value.issuers) {
      try {
        const found = await authenticate(token, audiences);
        if (found !== undefined) return found;
      } catch (error) {
        if (!(error instanceof CredentialError)) throw error;
        refusal ??= error;
      }
    }
    if (refusal !== undefined) throw refusal;
    return undefined;
  };

  /** Whether a client without credentials may use a path; undefined if the file does not decide. */
  allowsAnonymous(path: string): boolean | undefined {
    return this.#file.value.anonymous?.(path);
  }
}

function configuredBy(part: FilePart, context: ConfigurationContext): Configured {
  const { jwt, anonymous } = part.as(authenticationConfiguration, context.naming);
  const problems: Problem[] = [...anonymousProblems(anonymous, context)];
  const seen = { url: new Set<string>(), discoveryURL: new Set<string>() };
  const issuers = (jwt ?? []).map((configured, i) => {
    const { rules, problems: found } = configuredRules(configured, context.naming, context.release);
    const own = [...issuerProblems(configured.issuer, context.ownIssuers), ...found];
    for (const name of ['url', 'discoveryURL'] as const) {
      const url = configured.issuer[name] ?? '';
      if (url !== '' && seen[name].has(url)) own.push({ path: ['issuer', name], what: 'stands there twice' });
      seen[name].add(url);
    }
    append(
      problems,
      own.map(({ path, ...rest }) => ({ path: ['jwt', i, ...path], ...rest })),
    );
    return { configured, rules };
  });
  part.refuse(problems);
  const made = issuers.map(({ configured: { issuer }, rules }) =>
    oidcAuthenticator({
      issuerUrl: issuer.url,
      discoveryUrl: issuer.discoveryURL || undefined,
      audiences: issuer.audiences,
      ca: issuer.certificateAuthority || undefined,
      signingAlgorithms: algorithms,
      rules,
      ...(context.counted && { counted: context.counted }),
    }),
  );
  for (const issuer of made) issuer.warm().catch(context.onError);
  return { issuers: made, anonymous: anonymousOf(anonymous) };
}

function anonymousOf(anonymous: Configuration['anonymous']): Configured['anonymous'] {
  if (anonymous === undefined || anonymous === null) return undefined;
  if (!anonymous.enabled) return () => false;
  const paths = new Set((anonymous.conditions ?? []).map(({ path }) => path));
  return paths.size === 0 ? () => true : (path) => paths.has(path);
}

function anonymousProblems(
  anonymous: Configuration['anonymous'],
  { limitsAnonymous }: ConfigurationContext,
): readonly Problem[] {
  if (anonymous === undefined || anonymous === null) return [];
  if (!limitsAnonymous)
    return [{ path: ['anonymous'], what: 'needs the feature gate AnonymousAuthConfigurableEndpoints' }];
  if (anonymous.enabled || (anonymous.conditions ?? []).length === 0) return [];
  return [{ path: ['anonymous', 'conditions'], what: 'has no effect: set enabled to true' }];
}

/** Errors of an issuer's address, audiences and authorities. */
function issuerProblems(issuer: ConfiguredIssuer['issuer'], ownIssuers: readonly string[]): readonly Problem[] {
  const { url, discoveryURL, audiences, audienceMatchPolicy, certificateAuthority } = issuer;
  const problems: Problem[] = [];
  const complain = (name: string, what: string, ...rest: Path) =>
    problems.push({ path: ['issuer', name, ...rest], what });
  const checkUrl = (name: string, text: string) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed?.protocol !== 'https:') complain(name, 'must be an https URL');
    else if (parsed.username !== '' || parsed.password !== '') complain(name, 'must not have a user');
    else if (parsed.search !== '' || parsed.hash !== '') complain(name, 'must not have a query or a fragment');
  };
  checkUrl('url', url);
  if (ownIssuers.includes(url)) complain('url', 'is the issuer of service account tokens');
  if (discoveryURL) {
    checkUrl('discoveryURL', discoveryURL);
    if (discoveryURL.replace(/\/+$/, '') === url.replace(/\/+$/, '')) complain('discoveryURL', 'must differ from url');
  }
  audiences.forEach((audience, i) => {
    if (audiences.indexOf(audience) < i) complain('audiences', 'stands there twice', i);
  });
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    complain('audienceMatchPolicy', 'must be MatchAny where there are several audiences');
  if (certificateAuthority) {
    try {
      readAuthorities(Buffer.from(certificateAuthority));
    } catch {
      complain('certificateAuthority', 'must hold certificates in PEM');
    }
  }
  return problems;
}
