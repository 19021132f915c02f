import { RE2JS } from 're2js';
import { ConfigError } from '#base/errors/config-error.ts';
import { atLeast } from '#program/flags/flag-readers.ts';
import type { Flags } from './parse-flags.ts';

/** How connections of HTTP/2 are used. */
export interface Http2Limits {
  /** The largest number of open streams of a client on a connection. 0 means the usual number. */
  readonly maxStreams: number;
  /** The share of requests after which the client must open a new connection, perhaps to another replica: 0 to 0.02. */
  readonly goawayChance: number;
}

/** How the server accepts and answers requests over HTTP of any kind. */
export interface HttpOptions {
  /** The origins whose pages may use this server. Empty means none. */
  readonly allowedOrigins: readonly RE2JS[];
  /** The value of the header that makes browsers use TLS; undefined for no header. */
  readonly transportPolicy: string | undefined;
  /** The largest number of requests in progress; 0 means any number. */
  readonly inflight: { readonly reading: number; readonly mutating: number };
  /** How long a server that ends still serves as before, so that load balancers notice its end. */
  readonly shutdownDelayMs: number;
  /** The limits of connections of HTTP/2; undefined if it is not offered. */
  readonly http2: Http2Limits | undefined;
  /** Whether a server that is ending answers 429 until the requests in progress have ended. */
  readonly retryAfterWhenStopping: boolean;
  /** The duration from which the server logs a request, in milliseconds; 0 means never. */
  readonly slowRequestMs: number;
  /** Whether profiles of the process are served. */
  readonly profiling: boolean;
}

/**
 * Reads the flags about all answers.
 * @throws ConfigError
 */
export function readHttp(flags: Flags): HttpOptions {
  const directives = flags.get('strict-transport-security-directives').map((directive) => directive.trim());
  for (const directive of directives)
    if (!/^(?:max-age=\d+|includeSubDomains|preload)$/i.test(directive))
      throw new ConfigError(
        `invalid value for flag --strict-transport-security-directives: ${JSON.stringify(directive)} is none of max-age=SECONDS, includeSubDomains, preload`,
      );
  const goawayChance = flags.get('goaway-chance');
  if (goawayChance < 0 || goawayChance > 0.02) throw new ConfigError('flag --goaway-chance must be between 0 and 0.02');
  const maxStreams = flags.get('http2-max-streams-per-connection');
  atLeast(0, maxStreams, 'http2-max-streams-per-connection');
  return {
    allowedOrigins: flags.get('cors-allowed-origins').map(readPattern),
    transportPolicy: directives.length === 0 ? undefined : directives.join('; '),
    inflight: {
      reading: flags.get('max-requests-inflight'),
      mutating: flags.get('max-mutating-requests-inflight'),
    },
    shutdownDelayMs: flags.get('shutdown-delay-duration'),
    http2: flags.get('disable-http2-serving') ? undefined : { maxStreams, goawayChance },
    retryAfterWhenStopping: flags.get('shutdown-send-retry-after'),
    slowRequestMs: atLeast(0, flags.get('slow-request-threshold'), 'slow-request-threshold'),
    profiling: flags.get('profiling'),
  };
}

function readPattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new ConfigError(
      `invalid value for flag --cors-allowed-origins: ${JSON.stringify(pattern)} is not a regular expression: ${(error as Error).message}`,
    );
  }
}
