import { readFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import { YamlPlace } from '../encryption/yaml-place.ts';
import type { Flags } from './parse-flags.ts';

/** Where traces go, and how many. */
export interface TracingOptions {
  /** Host and port of a collector that speaks OTLP over gRPC; with `https://` in front over TLS. */
  readonly endpoint: string;
  /** How many of a million requests are recorded among those that bring no trace of their own. */
  readonly samplingRatePerMillion: number;
}

/** The endpoint where the file names none: the default port of collectors. */
const ENDPOINT = 'localhost:4317';

/** Reads the TracingConfiguration of `--tracing-config-file`; undefined where there is none. @throws ConfigError */
export function readTracing(flags: Flags): TracingOptions | undefined {
  const file = flags.get('tracing-config-file');
  if (file === '') return undefined;
  try {
    return parseTracing(readText(file), flags.naming.apiVersion('apiserver.config', 'v1alpha1'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`the file of flag --tracing-config-file, ${file}: ${error.message}`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function parseTracing(text: string, apiVersion: string): TracingOptions {
  const field = YamlPlace.of(text).fields('kind', 'apiVersion', 'endpoint', 'samplingRatePerMillion');
  if (field('kind').text() !== 'TracingConfiguration') throw field('kind').mistake('must be "TracingConfiguration"');
  if (field('apiVersion').text() !== apiVersion) throw field('apiVersion').mistake(`must be "${apiVersion}"`);
  const endpoint = field('endpoint').isMissing ? ENDPOINT : field('endpoint').text();
  const bare = endpoint.replace(/^(?:https?|dns):\/+/, '');
  if (!/^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?\/?$/.test(bare))
    throw field('endpoint').mistake('must be the host and port of a collector');
  const samplingRatePerMillion = field('samplingRatePerMillion').integer(0);
  if (samplingRatePerMillion < 0 || samplingRatePerMillion > 1_000_000)
    throw field('samplingRatePerMillion').mistake('must be from 0 to 1000000');
  return { endpoint, samplingRatePerMillion };
}
