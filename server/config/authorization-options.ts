import { ConfigError } from '#base/errors/config-error.ts';
import type { Flags } from './parse-flags.ts';

export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;

export type AuthorizationMode = (typeof authorizationModes)[number];

/** How a remote authorizer is asked. */
export interface AuthorizationWebhookOptions {
  /** Connection file of the server that decides. */
  readonly configFile: string;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer that allows counts, and any other one, in milliseconds. */
  readonly allowedMs: number;
  readonly refusedMs: number;
}

/** What single modes of authorization need; undefined without the mode. */
export interface AuthorizationOptions {
  readonly policyFile: string | undefined;
  readonly webhook: AuthorizationWebhookOptions | undefined;
}

/** A file that belongs to a mode: given with it and only with it. */
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
 * @throws ConfigError that says what to change
 */
export function readAuthorization(flags: Flags, modes: readonly AuthorizationMode[]): AuthorizationOptions {
  const policyFile = fileOf(flags, 'authorization-policy-file', modes.includes('ABAC'), 'ABAC');
  const configFile = fileOf(flags, 'authorization-webhook-config-file', modes.includes('Webhook'), 'Webhook');
  if (configFile === undefined) return { policyFile, webhook: undefined };
  const version = flags.get('authorization-webhook-version');
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new ConfigError(
      `invalid value for flag --authorization-webhook-version: ${JSON.stringify(version)} is neither v1 nor v1beta1`,
    );
  }
  const allowedMs = flags.get('authorization-webhook-cache-authorized-ttl');
  const refusedMs = flags.get('authorization-webhook-cache-unauthorized-ttl');
  return { policyFile, webhook: { configFile, version, allowedMs, refusedMs } };
}
