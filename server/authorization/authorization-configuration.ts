import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { WatchedFile } from '#program/files/file-watcher.ts';
import { parseDuration } from '#program/flags/duration.ts';
import { authorizationConfiguration } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import { type FilePart, readText } from '#program/operator-files/read-file.ts';
import type { Path, Problem } from '#program/operator-files/validate.ts';
import type { CountReload } from '../authentication/config-reloads.ts';
import type { AuthorizationMode } from '../config/authorization-options.ts';
import type { SingleExpression } from '../expressions/single-expression.ts';
import { type Authorizer, union } from './authorizer.ts';
import { compileMatchCondition, type MatchConditions } from './match-conditions.ts';

type Entry = ValueOfKind<typeof authorizationConfiguration>['authorizers'][number];

/** The longest time limit for a webhook. */
const MAX_TIMEOUT_MS = 30_000;
const MAX_CONDITIONS = 64;

/** The settings for calls of a webhook. Times are in milliseconds. */
export interface ConfiguredWebhook {
  readonly configFile: string;
  readonly version: 'v1' | 'v1beta1';
  readonly allowedMs: number;
  readonly refusedMs: number;
  readonly timeoutMs: number;
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly conditions: MatchConditions;
}

/** The inputs for reading the file. */
export interface AuthorizationContext {
  readonly naming: Naming;
  readonly release: Release;
  /** Makes an authorizer for a mode or for a webhook. */
  readonly make: (mode: AuthorizationMode, webhook: ConfiguredWebhook | undefined) => Authorizer;
  /** Receives the errors of a changed file. */
  readonly onError: (error: unknown) => void;
  /** Returns the function that counts changes. It is called once. */
  readonly reloads?: (() => CountReload) | undefined;
  /** Milliseconds of a clock, for tests. */
  readonly now?: () => number;
}

/**
 * The authorizers of `--authorization-config`. They follow changes of the file. Webhooks may be added, changed and
 * removed, but the other modes stay the same as at the start.
 *
 * @throws ConfigError with a line for each mistake
 */
export function configuredAuthorizer(file: string, context: AuthorizationContext): Authorizer {
  const kept = new Map<AuthorizationMode, Authorizer>();
  let started = false;
  let count: CountReload | undefined;
  const make = (content: Buffer): Authorizer => {
    const entries = readAuthorizers(readText(content.toString('utf8'), file), context);
    const modes = entries.flatMap(({ mode, webhook }) => (webhook === undefined ? [mode] : []));
    if (started && (modes.length !== kept.size || modes.some((mode) => !kept.has(mode))))
      throw new ConfigError(`${file}: only webhooks can change while the server runs: restart it for other modes`);
    return union(
      entries.map(({ mode, name, webhook }): Authorizer => {
        let made = webhook === undefined ? kept.get(mode) : context.make(mode, webhook);
        if (made === undefined) kept.set(mode, (made = context.make(mode, undefined)));
        const own = made;
        return {
          name,
          authorize: (attributes) => own.authorize(attributes),
          rules: (user, namespace) => own.rules(user, namespace),
        };
      }),
    );
  };
  const remake = (content: Buffer): Authorizer => {
    const made = make(content);
    count?.(true);
    return made;
  };
  const failed = (error: unknown) => {
    count?.(false);
    context.onError(error);
  };
  const watched = new WatchedFile(file, remake, failed, context.now);
  started = true;
  count = context.reloads?.();
  return {
    authorize: (attributes) => watched.value.authorize(attributes),
    rules: (user, namespace) => watched.value.rules(user, namespace),
  };
}

interface ConfiguredEntry {
  readonly mode: AuthorizationMode;
  readonly name: string;
  readonly webhook: ConfiguredWebhook | undefined;
}

function readAuthorizers(part: FilePart, { naming, release }: AuthorizationContext): readonly ConfiguredEntry[] {
  const { authorizers } = part.as(authorizationConfiguration, naming);
  const problems: Problem[] = [];
  const names = new Set<string>();
  const modes = new Set<string>();
  const entries = authorizers.map((entry, i): ConfiguredEntry => {
    const { type: mode, name } = entry;
    const complain = (path: Path, what: string) => problems.push({ path: ['authorizers', i, ...path], what });
    if (names.has(name)) complain(['name'], 'stands there twice');
    names.add(name);
    if (mode !== 'Webhook') {
      if (modes.has(mode)) complain(['type'], 'stands there twice: only webhooks may');
      modes.add(mode);
      if (entry.webhook) complain(['webhook'], 'goes with the type Webhook alone');
      return { mode, name, webhook: undefined };
    }
    if (!entry.webhook) complain(['webhook'], 'is missing');
    const webhook = entry.webhook ? readWebhook(entry.webhook, release, complain) : undefined;
    return { mode, name, webhook };
  });
  part.refuse(problems);
  return entries;
}

function readWebhook(
  webhook: NonNullable<Entry['webhook']>,
  release: Release,
  complain: (path: Path, what: string) => void,
): ConfiguredWebhook {
  const at = (name: string, ...rest: Path) => ['webhook', name, ...rest];
  const time = (name: 'authorizedTTL' | 'unauthorizedTTL' | 'timeout', most = Number.POSITIVE_INFINITY): number => {
    const milliseconds = parseDuration(webhook[name]);
    if (milliseconds <= 0) complain(at(name), 'must be longer than nothing');
    if (milliseconds > most) complain(at(name), 'must be at most 30s');
    return milliseconds;
  };
  const [allowedMs, refusedMs] = [time('authorizedTTL'), time('unauthorizedTTL')];
  const { kubeConfigFile: configFile } = webhook.connectionInfo;
  if (!configFile) complain(at('connectionInfo', 'kubeConfigFile'), 'is missing');
  else if (!configFile.startsWith('/')) complain(at('connectionInfo', 'kubeConfigFile'), 'must be an absolute path');
  const texts = (webhook.matchConditions ?? []).map(({ expression }) => expression);
  if (texts.length > 0 && !webhook.matchConditionSubjectAccessReviewVersion)
    complain(at('matchConditionSubjectAccessReviewVersion'), 'is missing: match conditions need it');
  if (texts.length > MAX_CONDITIONS) complain(at('matchConditions'), `has more than ${MAX_CONDITIONS} items`);
  const conditions = texts.slice(0, MAX_CONDITIONS).flatMap((text, i): SingleExpression[] => {
    const path = at('matchConditions', i, 'expression');
    if (texts.indexOf(text) < i) complain(path, 'stands there twice');
    const made = compileMatchCondition(text, release);
    if (typeof made !== 'string') return [made];
    complain(path, `cannot be used: ${made}`);
    return [];
  });
  return {
    configFile: configFile ?? '',
    version: webhook.subjectAccessReviewVersion,
    allowedMs: webhook.cacheAuthorizedRequests === false ? 0 : allowedMs,
    refusedMs: webhook.cacheUnauthorizedRequests === false ? 0 : refusedMs,
    timeoutMs: time('timeout', MAX_TIMEOUT_MS),
    failurePolicy: webhook.failurePolicy,
    conditions,
  };
}
