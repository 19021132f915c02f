import { ConfigError } from '#base/errors/config-error.ts';
import { text } from '#program/flags/flag-readers.ts';
import { authorizationConfiguration } from '#program/operator-files/kinds.ts';
import { readFile } from '#program/operator-files/read-file.ts';
import { type FeatureGates, needGate } from './feature-gates.ts';
import type { Flags } from './parse-flags.ts';

export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;

export type AuthorizationMode = (typeof authorizationModes)[number];

/** The settings for calls of a remote authorizer. */
export interface AuthorizationWebhookOptions {
  /** Connection file of the server that decides. */
  readonly configFile: string;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer that allows is cached, and how long any other answer, in milliseconds. */
  readonly allowedMs: number;
  readonly refusedMs: number;
}

/** The inputs of single authorization modes; undefined without the mode. */
export interface AuthorizationOptions {
  /** The file that configures all of authorization; undefined if the mode flags configure it. */
  readonly configurationFile: string | undefined;
  readonly policyFile: string | undefined;
  readonly webhook: AuthorizationWebhookOptions | undefined;
}

/** The flags that a file of authorizers replaces. */
const MODE_FLAGS = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
] as const;

/**
 * The modes of authorization in their order, each once. They come from the flag, or from the file in its place.
 * @throws ConfigError with advice
 */
export function readAuthorizationModes(flags: Flags, gates: FeatureGates): readonly AuthorizationMode[] {
  const file = text(flags.get('authorization-config'));
  if (file !== undefined) {
    needGate(gates, 'StructuredAuthorizationConfiguration', 'authorization-config');
    const other = MODE_FLAGS.find((name) => flags.isSet(name));
    if (other !== undefined) throw new ConfigError(`flag --${other} cannot stand beside --authorization-config`);
    const { authorizers } = readFile(file, 'authorization-config').as(authorizationConfiguration, flags.naming);
    return [...new Set(authorizers.map(({ type }) => type))];
  }
  const modes = flags.get('authorization-mode').map((name) => {
    const mode = authorizationModes.find((known) => known === name);
    if (mode === undefined)
      throw new ConfigError(
        `unknown mode ${JSON.stringify(name)} in flag --authorization-mode: choose from ${authorizationModes.join(', ')}`,
      );
    return mode;
  });
  if (modes.length === 0)
    throw new ConfigError(`flag --authorization-mode must name at least one of ${authorizationModes.join(', ')}`);
  if (new Set(modes).size !== modes.length) throw new ConfigError('flag --authorization-mode names a mode twice');
  return modes;
}

/** A file that belongs to a mode. It must be given if, and only if, the mode is used. */
function fileOf(
  flags: Flags,
  name: 'authorization-policy-file' | 'authorization-webhook-config-file',
  needed: boolean,
  mode: AuthorizationMode,
): string | undefined {
  const file = flags.get(name);
  if (needed && file === '')
    throw new ConfigError(`flag --${name} is missing: the authorization mode ${mode} needs it`);
  if (!needed && file !== '') throw new ConfigError(`flag --${name} needs ${mode} in --authorization-mode`);
  return needed ? file : undefined;
}

/**
 * Reads the flags of the modes.
 * @throws ConfigError with advice
 */
export function readAuthorization(flags: Flags, modes: readonly AuthorizationMode[]): AuthorizationOptions {
  const configurationFile = text(flags.get('authorization-config'));
  const policyFile = fileOf(flags, 'authorization-policy-file', modes.includes('ABAC'), 'ABAC');
  const asksByFlags = configurationFile === undefined && modes.includes('Webhook');
  const configFile = fileOf(flags, 'authorization-webhook-config-file', asksByFlags, 'Webhook');
  if (configFile === undefined) return { configurationFile, policyFile, webhook: undefined };
  const version = flags.get('authorization-webhook-version');
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new ConfigError(
      `invalid value for flag --authorization-webhook-version: ${JSON.stringify(version)} is neither v1 nor v1beta1`,
    );
  }
  const allowedMs = flags.get('authorization-webhook-cache-authorized-ttl');
  const refusedMs = flags.get('authorization-webhook-cache-unauthorized-ttl');
  return { configurationFile, policyFile, webhook: { configFile, version, allowedMs, refusedMs } };
}
