import { tracing } from '#program/operator-files/kinds.ts';
import { readFile } from '#program/operator-files/read-file.ts';
import type { Flags } from './parse-flags.ts';

/** The target and the rate of traces. */
export interface TracingOptions {
  /**
   * The host and port of a collector that supports OTLP over gRPC. With `https://` before it, the connection uses TLS.
   */
  readonly endpoint: string;
  /** The number of recorded requests in a million, among those without an incoming trace. */
  readonly samplingRatePerMillion: number;
}

/** The endpoint if the file names none. It has the default port of collectors. */
const ENDPOINT = 'localhost:4317';

/** Reads the TracingConfiguration of `--tracing-config-file`; undefined without the flag. @throws ConfigError */
export function readTracing(flags: Flags): TracingOptions | undefined {
  const file = flags.get('tracing-config-file');
  if (file === '') return undefined;
  const { endpoint, samplingRatePerMillion } = readFile(file, 'tracing-config-file').as(tracing, flags.naming);
  return { endpoint: endpoint ?? ENDPOINT, samplingRatePerMillion: samplingRatePerMillion ?? 0 };
}
