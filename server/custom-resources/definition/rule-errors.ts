import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  fieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { quoteText } from '#base/json/quote-text.ts';
import { latestRelease, type Release } from '#base/release/release.ts';
import type { TimeSlice } from '#base/time/time-slice.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { MAX_SIZE } from '../../expressions/cel-type.ts';
import { type ExpressionEnvironment, environmentOf } from '../../expressions/environment.ts';
import { capped } from '../../expressions/sizes.ts';
import { compileRule } from '../cel/compile-rule.ts';
import { typeOfSchema } from '../cel/schema-type.ts';
import { type Checks, yieldTurn } from '../schema/check-work.ts';
import { definedSteps, findField } from '../schema/field-path.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';

/** The estimated cost limits of one rule, and of all rules of one schema. */
const RULE_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;
/**
 * The largest number of rules that are named if all rules together are too expensive. The most expensive rule comes
 * first. Each named rule has at least a hundredth of the cost.
 */
const NAMED = 4;

const ADVICE =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The errors in the texts of rules, except those that need compiling. */
export function ruleTextErrors(rules: readonly SchemaRule[], path: FieldPath, release: Release): FieldError[] {
  const of = release.atLeast(28) ? '' : 'message ';
  return rules.flatMap((each, i) => {
    const { rule, message, messageExpression, reason, fieldPath } = each;
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (rule.trim() === '') errors.push(required(at.child('rule'), 'rule is not specified'));
    if (message !== '' && message.trim() === '') {
      errors.push(invalidValue(at.child('message'), message, `${of}must be non-empty if specified`));
    } else if (hasBreaks(message.trim())) {
      errors.push(invalidValue(at.child('message'), message, `${of}must not contain line breaks`));
    } else if (hasBreaks(rule.trim()) && message.trim() === '') {
      errors.push(required(at.child('message'), 'message must be specified if rule contains line breaks'));
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'));
    }
    if (reason !== '' && !REASONS.includes(reason)) errors.push(notSupported(at.child('reason'), reason, REASONS));
    if (fieldPath !== '') append(errors, fieldPathTextErrors(fieldPath, at.child('fieldPath')));
    return errors;
  });
}

function hasBreaks(text: string): boolean {
  return /[\r\n]/.test(text);
}

function fieldPathTextErrors(fieldPath: string, path: FieldPath): FieldError[] {
  const problems = [
    ...(fieldPath.trim() === '' ? ['must be non-empty if specified'] : []),
    ...(hasBreaks(fieldPath) ? ['must not contain line breaks'] : []),
  ];
  return problems.map((problem) => invalidValue(path, fieldPath, problem));
}

/** The errors in the paths of rules. A path must lead to a field of the schema. */
export function rulePathErrors(schema: JSONSchemaProps, rules: readonly SchemaRule[], path: FieldPath): FieldError[] {
  return rules.flatMap(({ fieldPath }, i) => {
    if (fieldPath === '' || typeof findField(fieldPath, schema, definedSteps) === 'object') return [];
    return [invalidValue(path.index(i).child('fieldPath'), fieldPath, 'must be a valid path')];
  });
}

/** The estimated cost of a rule, over all values on which it may run. */
interface Estimate {
  readonly path: FieldPath;
  readonly cost: number;
}

/** The largest number of values of a schema in a request. */
function mostValues(schema: StructuralSchema, isRoot: boolean): number {
  return Math.floor(MAX_SIZE / ((typeOfSchema(schema, isRoot || schema.embedded)?.least ?? 0) + 1));
}

/** The inputs for checks of a schema's rules. */
export interface RuleContext {
  readonly prefix: string;
  readonly release: Release;
  /**
   * The expressions of the definition before the change, by their texts. They may still use the functions of their
   * release.
   */
  readonly oldExpressions: ReadonlySet<string>;
  /** Whether the schema is the one from before the change. If so, the cost of each single rule was already accepted. */
  readonly isUnchanged: boolean;
}

/**
 * The errors of the rules of a schema: in their texts, and about their cost. `refused` are the paths of schemas that
 * have other errors; their rules are not checked.
 */
export function* ruleErrors(
  schema: StructuralSchema,
  path: FieldPath,
  context: RuleContext,
  refused: ReadonlySet<string>,
  slice: TimeSlice,
): Checks<FieldError[]> {
  if (!schema.holds.rules) return [];
  const walk = new RuleErrorWalk(context, refused, slice);
  yield* walk.schema(schema, path, 1, undefined, true);
  return [...walk.errors, ...walk.totalErrors(path)];
}

const UNTYPED = 'Internal error: internal error: failed to construct type information for';
const UNTYPED_WHY = 'rules: unable to convert structural schema to CEL declarations';

class RuleErrorWalk {
  readonly errors: FieldError[] = [];
  readonly #dear: Estimate[] = [];
  #total = 0;
  readonly #keyword: string;
  readonly #context: RuleContext;
  readonly #refused: ReadonlySet<string>;
  readonly #slice: TimeSlice;

  constructor(context: RuleContext, refused: ReadonlySet<string>, slice: TimeSlice) {
    this.#keyword = `${context.prefix}validations`;
    this.#context = context;
    this.#refused = refused;
    this.#slice = slice;
  }

  /**
   * @param count how many values of this schema an object may contain; undefined if a list or a map around it has no
   * limit
   * @param loose whether the schema is in a list whose items cannot be matched with the old items
   */
  *schema(
    schema: StructuralSchema,
    path: FieldPath,
    count: number | undefined,
    loose: FieldPath | undefined,
    isRoot = false,
  ): Checks<void> {
    if (!schema.holds.rules) return;
    const { items, properties, additional, rules } = schema;
    const most = (bound: number | undefined) =>
      count === undefined || bound === undefined ? undefined : capped(count * Math.max(bound, 0));
    if (typeof additional === 'object') {
      yield* this.schema(additional, path.child('additionalProperties'), most(schema.limits?.maxProperties), loose);
    }
    for (const [name, property] of properties) {
      yield* this.schema(property, path.child('properties').key(name), count, loose);
    }
    if (items !== undefined) {
      const isLoose = loose ?? (schema.listType === 'map' ? undefined : path);
      yield* this.schema(items, path.child('items'), most(schema.limits?.maxItems), isLoose);
    }
    if (rules.length === 0 || (this.#refused.size > 0 && this.#refused.has(String(path)))) return;
    if (typeOfSchema(schema, isRoot || schema.embedded) === undefined) {
      this.errors.push(
        fieldError('InternalError', path.child(this.#keyword), `${UNTYPED} ${this.#keyword} ${UNTYPED_WHY}`),
      );
      return;
    }
    for (const [i, rule] of rules.entries()) {
      if (this.#slice.over) yield* yieldTurn(this.#slice);
      this.#rule(rule, schema, path.child(this.#keyword).index(i), { count, loose, isRoot });
    }
  }

  #rule(
    rule: SchemaRule,
    schema: StructuralSchema,
    path: FieldPath,
    { count, loose, isRoot }: { count: number | undefined; loose: FieldPath | undefined; isRoot: boolean },
  ): void {
    if (rule.rule.trim() === '') return;
    const compiled = compileRule(
      rule,
      schema,
      isRoot,
      this.#environment(rule.rule),
      this.#environment(rule.messageExpression),
    );
    if ('problem' in compiled) {
      this.#refuse(rule, path.child('rule'), compiled.problem);
      if (rule.optionalOldSelf !== undefined) this.#refuseOptional(rule.optionalOldSelf, path);
      return;
    }
    const times = count ?? mostValues(schema, isRoot);
    this.#estimate(path.child('rule'), 'rule', compiled.cost * times);
    if (compiled.message !== undefined) {
      if ('problem' in compiled.message) {
        this.#refuse(rule, path.child('messageExpression'), compiled.message.problem);
      } else this.#estimate(path.child('messageExpression'), 'messageExpression', compiled.message.cost * times);
    }
    if (!compiled.isTransition) {
      if (rule.optionalOldSelf !== undefined) this.#refuseOptional(rule.optionalOldSelf, path);
    } else if (loose !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${loose}`;
      this.errors.push(invalidValue(path.child('rule'), rule.rule, detail));
    }
  }

  /**
   * The environment of an expression. A new expression may use the functions of the release. An old one may use the
   * functions of any release.
   */
  #environment(expression: string): ExpressionEnvironment {
    const { oldExpressions, release } = this.#context;
    return environmentOf(oldExpressions.has(expression) ? latestRelease : release);
  }

  #estimate(path: FieldPath, what: string, estimate: number): void {
    const cost = capped(estimate);
    if (cost > RULE_LIMIT && !this.#context.isUnchanged) {
      this.errors.push(forbiddenField(path, excess(`estimated ${what} cost`, cost, RULE_LIMIT)));
    }
    this.#total = capped(this.#total + cost);
    if (cost >= SCHEMA_LIMIT / 100) this.#dear.push({ path, cost });
  }

  #refuseOptional(value: boolean, path: FieldPath): void {
    const detail = 'may not be set if oldSelf is not used in rule';
    this.errors.push(invalidValue(path.child('optionalOldSelf'), value, detail));
  }

  #refuse(rule: SchemaRule, path: FieldPath, problem: string): void {
    const text = this.#context.release.atLeast(27)
      ? shownRule(rule)
      : `apiextensions.ValidationRule{Rule:${quoteText(rule.rule)}, Message:${quoteText(rule.message)}}`;
    this.errors.push(fieldError('FieldValueInvalid', path, `Invalid value: ${text}: ${problem}`));
  }

  /** The errors about the cost of all rules together. */
  totalErrors(path: FieldPath): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const dearest = this.#dear.sort((a, b) => b.cost - a.cost).slice(0, NAMED);
    const what = `${this.#keyword} estimated rule cost total for entire OpenAPIv3 schema`;
    return [
      ...dearest.map((estimate) => forbiddenField(estimate.path, detail)),
      forbiddenField(path, excess(what, this.#total, SCHEMA_LIMIT)),
    ];
  }
}

/** A rule in the form of errors. */
function shownRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: SchemaRule): string {
  return JSON.stringify({
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason === '' ? null : reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  });
}

function excess(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${times} (${ADVICE})`;
}
