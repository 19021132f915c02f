import { badRequest } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import type { Steps } from '#base/time/steps.ts';
import { withoutOff } from '#schema/objects/without-off.ts';
import { parseYamlInSteps, strictYamlError } from '#schema/yaml/parse.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { FieldValidation } from '../api/write-options.ts';
import { checkAmount } from './amount-of-values.ts';
import type { Expected } from './expected.ts';
import { inTurn } from './in-turn.ts';
import { jsonTypeName } from './kind-errors.ts';

/** The configuration of an apply, from the client. */
export interface Config {
  readonly config: JsonObject;
  /** Complaints about repeated keys. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the configuration of an apply, in JSON or YAML; an empty body is an empty configuration. The returned function
 * gives the configuration or throws 400, so that the error for a missing object comes first.
 */
export async function readConfig(context: RequestContext, expected: Expected): Promise<() => Config> {
  const body = await context.readBody();
  const parsed = await inTurn(context, outcomeOf(body));
  let config: Config | undefined;
  return () => (config ??= checked(context, parsed, expected));
}

/** The content of a body, or the reason why it is malformed. */
type Outcome = { readonly value: JsonValue; readonly duplicates: readonly string[] } | { readonly refusal: unknown };

function* outcomeOf(body: Buffer): Steps<Outcome> {
  try {
    return yield* parse(body);
  } catch (refusal) {
    return { refusal };
  }
}

function checked(context: RequestContext, parsed: Outcome, expected: Expected): Config {
  if ('refusal' in parsed) throw parsed.refusal;
  const { value, duplicates } = parsed;
  context.audit?.request(value);
  if (value !== null && !isObject(value)) {
    throw malformed(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  }
  const config = value ?? {};
  checkKind(config, expected);
  const { message } = expected.model;
  return { config: message === undefined ? config : (withoutOff(message, config) as JsonObject), duplicates };
}

/**
 * Warns about repeated keys in a configuration, or refuses it under `Strict`. This happens only after the merge,
 * because the refusal of the merge comes first. The merge always refuses undeclared fields.
 */
export function complainOfDuplicates(
  duplicates: readonly string[],
  validation: FieldValidation,
  context: RequestContext,
): void {
  if (duplicates.length === 0 || validation === 'Ignore') return;
  if (validation === 'Warn') for (const text of duplicates) context.warnings.add(text);
  else throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strictYamlError(duplicates)}`);
}

function* parse(body: Buffer): Steps<{ value: JsonValue; duplicates: readonly string[] }> {
  try {
    const parsed = yield* parseYamlInSteps(body);
    yield;
    checkAmount(parsed.value, body.length);
    return parsed;
  } catch (error) {
    throw error instanceof MalformedBodyError ? malformed(`error converting YAML to JSON: ${error.message}`) : error;
  }
}

function malformed(problem: string): Error {
  return badRequest(`error decoding YAML: ${problem}`);
}

/**
 * @throws StatusError (400) about a configuration of another kind in the right version; the caller checks the version
 */
function checkKind(config: JsonObject, expected: Expected): void {
  if (config['apiVersion'] !== expected.apiVersion || config['kind'] === expected.kind) return;
  const kind = config['kind'] ?? '';
  const specified = typeof kind === 'string' ? kind : '';
  throw badRequest(
    `Incorrect kind specified in apply patch. Specified patch kind: ${specified}, expected: ${expected.kind}`,
  );
}
