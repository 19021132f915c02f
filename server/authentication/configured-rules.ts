import { table } from '#base/collections/own-properties.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { authenticationConfiguration } from '#program/operator-files/kinds.ts';
import type { ValueOfKind } from '#program/operator-files/operator-kind.ts';
import type { Path, Problem } from '#program/operator-files/validate.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type CelField, type CelType, DYN, listOf, mapOf, STRING } from '../expressions/cel-type.ts';
import { CelList, type CelValue, EvaluationError } from '../expressions/cel-value.ts';
import { valueOfJson } from '../expressions/json-values.ts';
import { compileSingle, inputVariables, type SingleExpression } from '../expressions/single-expression.ts';
import { CredentialError } from './authenticator.ts';
import { type ClaimRules, claimedGroups, claimedId, claimedName, requireClaims } from './claim-rules.ts';
import { credentialKeyOf } from './credential-key.ts';
import { textClaim } from './token-claims.ts';

/** The settings of one issuer in the file. */
export type ConfiguredIssuer = NonNullable<ValueOfKind<typeof authenticationConfiguration>['jwt']>[number];

type Source = NonNullable<ConfiguredIssuer['claimMappings']['username']>;

const USER: CelType = {
  kind: 'object',
  least: 2,
  fields: new Map(
    Object.entries({
      username: STRING,
      uid: STRING,
      groups: listOf(STRING),
      extra: mapOf(STRING, listOf(STRING)),
    }).map(([name, type]): [string, CelField] => [name, { name, type, size: 0 }]),
  ),
};

const CLAIMS = inputVariables({ claims: mapOf(STRING, DYN) });
const USERS = inputVariables({ user: USER });
const NO_PROBLEMS: readonly string[] = [];

/** An expression that must be true, and the message if it is not. */
interface Condition {
  readonly expression: SingleExpression;
  readonly message: string;
}

/** Collects the errors of an issuer's rules while they are compiled. */
class Maker {
  readonly problems: Problem[] = [];
  readonly #release: Release;
  readonly #seen = new Set<string>();
  #usesEmail = false;
  #usesVerified = false;

  constructor(release: Release) {
    this.#release = release;
  }

  complain(path: Path, what: string): void {
    this.problems.push({ path, what });
  }

  /** Reports a text that occurs twice in one list. */
  once(list: string, text: string, path: Path): void {
    if (this.#seen.has(`${list} ${text}`)) this.complain(path, 'stands there twice');
    this.#seen.add(`${list} ${text}`);
  }

  /** A compiled expression over claims; undefined if it has errors. */
  ofClaims(text: string, answers: Parameters<typeof compileSingle>[2], path: Path): SingleExpression | undefined {
    // A rule that trusts an email address must also check whether the address was verified.
    this.#usesVerified ||= /\bclaims\s*\.\s*\??\s*email_verified\b/.test(text);
    if (path.includes('username')) this.#usesEmail ||= /\bclaims\s*\.\s*\??\s*email\b/.test(text);
    return this.#compile(text, CLAIMS, answers, path);
  }

  ofUser(text: string, path: Path): SingleExpression | undefined {
    return this.#compile(text, USERS, ['bool'], path);
  }

  finish(): void {
    if (this.#usesEmail && !this.#usesVerified)
      this.complain(
        ['claimMappings', 'username', 'expression'],
        'uses claims.email: it, an extra value or a rule about claims has to use claims.email_verified as well',
      );
  }

  #compile(
    text: string,
    variables: typeof CLAIMS,
    answers: Parameters<typeof compileSingle>[2],
    path: Path,
  ): SingleExpression | undefined {
    const made = compileSingle(text, variables, answers, this.#release);
    if (typeof made !== 'string') return made;
    this.complain(path, `cannot be used: ${made}`);
    return undefined;
  }
}

/** Refuses a source with both a claim and an expression, and a required source with neither. */
function checkSource(
  { claim, expression }: Partial<Record<'claim' | 'expression', string | null | undefined>>,
  path: Path,
  isNeeded: boolean,
  maker: Maker,
): void {
  if (claim && expression) maker.complain(path, 'is a claim or an expression, not both');
  if (isNeeded && !claim && !expression) maker.complain(path, 'needs a claim or an expression');
}

function checkPrefix({ claim, expression, prefix }: Source, path: Path, maker: Maker): void {
  const isGiven = prefix !== undefined && prefix !== null;
  if (expression && isGiven) maker.complain([...path, 'prefix'], 'goes with a claim, not with an expression');
  if (claim && !isGiven) maker.complain([...path, 'prefix'], 'is missing: where there is none, it is the empty text');
}

/**
 * The rules of an issuer of the file. If there are errors, the rules must not be used.
 *
 * @returns the rules, and the errors by path inside the issuer
 */
export function configuredRules(
  { claimMappings, claimValidationRules, userValidationRules }: ConfiguredIssuer,
  naming: Naming,
  release: Release,
): { readonly rules: ClaimRules; readonly problems: readonly Problem[] } {
  const maker = new Maker(release);
  const { username, groups, uid } = claimMappings;
  const required: Record<string, string> = table();
  const conditions: Condition[] = [];
  (claimValidationRules ?? []).forEach(({ claim, requiredValue, expression, message }, i) => {
    const path = ['claimValidationRules', i];
    checkSource({ claim, expression }, path, true, maker);
    if (claim) {
      if (message) maker.complain([...path, 'message'], 'goes with an expression, not with a claim');
      maker.once('claim', claim, [...path, 'claim']);
      required[claim] = requiredValue ?? '';
    } else if (expression) {
      if (requiredValue) maker.complain([...path, 'requiredValue'], 'goes with a claim, not with an expression');
      maker.once('rule', expression, [...path, 'expression']);
      const made = maker.ofClaims(expression, ['bool'], [...path, 'expression']);
      if (made !== undefined) conditions.push({ expression: made, message: message ?? '' });
    }
  });
  const expressionOf = (source: Source | null | undefined, name: string, isNeeded = false) => {
    const path = ['claimMappings', name];
    checkSource(source ?? {}, path, isNeeded, maker);
    if (name !== 'uid') checkPrefix(source ?? {}, path, maker);
    if (!source?.expression) return undefined;
    const answers = name === 'groups' ? [] : (['string', 'dyn'] as const);
    return maker.ofClaims(source.expression, answers, [...path, 'expression']);
  };
  const nameExpression = expressionOf(username, 'username', true);
  const groupsExpression = expressionOf(groups, 'groups');
  const uidExpression = expressionOf(uid, 'uid');
  const extras = (claimMappings.extra ?? []).map(({ key, valueExpression }, i) => {
    const path = ['claimMappings', 'extra', i];
    checkKey(key, [...path, 'key'], naming, maker);
    maker.once('extra', key, [...path, 'key']);
    return { key, expression: maker.ofClaims(valueExpression, [], [...path, 'valueExpression']) };
  });
  const userConditions = (userValidationRules ?? []).flatMap(({ expression, message }, i): Condition[] => {
    const path = ['userValidationRules', i, 'expression'];
    maker.once('user', expression, path);
    const made = maker.ofUser(expression, path);
    return made === undefined ? [] : [{ expression: made, message: message ?? '' }];
  });
  maker.finish();
  const credentialKey = credentialKeyOf(naming, release);

  const rules: ClaimRules = {
    check(claims) {
      requireClaims(claims, required);
      const inputs = inputsOf('claims', claims);
      for (const condition of conditions) require(condition, inputs, 'claim');
    },
    user(claims) {
      const inputs = inputsOf('claims', claims);
      const user = {
        name: nameOf(claims, inputs),
        uid: uidExpression ? textOf(uidExpression, inputs, 'uid') : uid?.claim ? textClaim(claims, uid.claim) : '',
        groups: groupsOf(claims, inputs),
        extra: { ...claimedId(claims, credentialKey), ...extraOf(inputs) },
      };
      const userInputs = inputsOf('user', userValue(user));
      for (const condition of userConditions) require(condition, userInputs, 'user info');
      return user;
    },
  };
  return { rules, problems: maker.problems };

  function nameOf(claims: JsonObject, inputs: Inputs): string {
    if (nameExpression === undefined) return (username.prefix ?? '') + claimedName(claims, username.claim ?? '');
    const name = textOf(nameExpression, inputs, 'username');
    if (name === '') throw new CredentialError('oidc: empty username via CEL expression is not allowed');
    return name;
  }

  function groupsOf(claims: JsonObject, inputs: Inputs): readonly string[] {
    if (groupsExpression !== undefined) return textsOf(groupsExpression, inputs, 'group');
    if (!groups?.claim) return NO_PROBLEMS;
    return claimedGroups(claims, groups.claim).map((group) => (groups.prefix ?? '') + group);
  }

  function extraOf(inputs: Inputs): Record<string, readonly string[]> {
    const found = extras.map(({ key, expression }) => [key, textsOf(expression!, inputs, 'extra')] as const);
    return Object.fromEntries(found.filter(([, values]) => values.length > 0));
  }
}

type Inputs = (name: string) => CelValue;

function inputsOf(name: string, value: JsonValue): Inputs {
  const made = valueOfJson(value);
  return (asked) => (asked === name ? made : null);
}

function userValue({ name, uid, groups, extra }: UserInfo): JsonObject {
  const lists = Object.entries(extra).map(([key, values]): [string, JsonValue] => [key, [...values]]);
  return { username: name, uid, groups: [...groups], extra: Object.fromEntries(lists) };
}

/** Checks the keys of extra values. They must have the operator's own domain, and not one of the product. */
function checkKey(key: string, path: Path, naming: Naming, maker: Maker): void {
  if (!/^[^/]+\/.+$/.test(key)) maker.complain(path, 'must be a domain, a slash and a name');
  if (key !== key.toLowerCase()) maker.complain(path, 'must be in lower case');
  const domain = key.split('/')[0]!;
  if (naming.domains.some((own) => domain === own || domain.endsWith(`.${own}`)))
    maker.complain(path, 'must not be in a domain of the product');
}

/** @throws CredentialError if an expression fails */
function run(expression: SingleExpression, inputs: Inputs, what: string): CelValue {
  try {
    return expression.run(inputs);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new CredentialError(`oidc: error evaluating ${what} expression: ${error.message}`);
  }
}

function require({ expression, message }: Condition, inputs: Inputs, what: string): void {
  if (run(expression, inputs, `${what} validation`) === true) return;
  const failed = `validation expression '${expression.text}' failed: ${message}`;
  throw new CredentialError(`oidc: error evaluating ${what} validation expression: ${failed}`);
}

function textOf(expression: SingleExpression, inputs: Inputs, what: string): string {
  const value = run(expression, inputs, `${what} claim`);
  if (typeof value === 'string') return value;
  throw new CredentialError(
    `oidc: error evaluating ${what} claim expression: ${what} claim expression must return a string`,
  );
}

/** The texts of a list. Empty texts are left out. A single text counts as a list. */
function textsOf(expression: SingleExpression, inputs: Inputs, what: string): readonly string[] {
  const value = run(expression, inputs, `${what} claim`);
  const items = value === null ? [] : value instanceof CelList ? [...value] : [value];
  if (!items.every((item) => typeof item === 'string'))
    throw new CredentialError(
      `oidc: error evaluating ${what} claim expression: expression must return a string or a list of strings`,
    );
  return items.filter((item) => item !== '');
}
