import { type FieldError, FieldPath, fieldError, shown } from '#base/errors/field-error.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { latestRelease } from '#base/release/release.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { EvaluationError } from '../../expressions/cel-value.ts';
import { environmentOf } from '../../expressions/environment.ts';
import { Budget, OverBudgetError } from '../../expressions/expression.ts';
import type { Checks } from '../schema/check-work.ts';
import { itemFinder } from '../schema/match-items.ts';
import { memberSchema, oldMember, Ratchet } from '../schema/ratchet.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';
import { MAX_ERRORS } from '../schema/value-errors.ts';
import { type BrokenRule, type CompiledRule, compileRule } from './compile-rule.ts';
import { ruleMessage, ruleText } from './rule-message.ts';

/** The cost limit of all rules of one object together. */
const OBJECT_BUDGET = 10_000_000;

/**
 * The functions of all releases, because another release may have accepted a stored rule. If this release lacks a
 * function, it refuses the definition that is written with it.
 */
const storedEnvironment = environmentOf(latestRelease);

type Rules = readonly (CompiledRule | BrokenRule)[];

/**
 * The compiled rules of each schema. They are compiled at the first use. Rules of a root schema can also read the
 * metadata.
 */
const compiled = new WeakMap<StructuralSchema, Rules>();

function rulesOf(schema: StructuralSchema, isResource: boolean): Rules {
  let rules = compiled.get(schema);
  if (rules === undefined) {
    rules = schema.rules.map((rule) => compileRule(rule, schema, isResource, storedEnvironment));
    compiled.set(schema, rules);
  }
  return rules;
}

/** How rules run on an object, and what errors about violated rules show. */
export interface RuleOptions {
  readonly path?: FieldPath;
  readonly isResource?: boolean;
  /**
   * Receives errors in values that a change left unchanged; such errors do not refuse the write. Undefined if the
   * caller ignores them.
   */
  readonly ratchet?: ((warning: string) => void) | undefined;
  /** Whether errors show a value that is not an object or a list. Otherwise they show only its type. */
  readonly showsValues?: boolean;
}

/**
 * Errors of an object by the rules of its schema. `old` is the object before the change, for transition rules. If the
 * rules exceed their budget, the check ends with an error about it. It pauses for other requests.
 */
export function* validateRules(
  schema: StructuralSchema,
  value: JsonValue,
  old: JsonValue | undefined,
  options: RuleOptions = {},
): Checks<FieldError[]> {
  if (!schema.holds.rules) return [];
  const { path = new FieldPath(), isResource = true, ratchet } = options;
  const walk = new RuleWalk(options);
  const root = ratchet === undefined || old === undefined ? undefined : { schema, value, old };
  yield* walk.value(schema, value, { old, path, isResource, isRoot: true, known: root, same: root });
  return walk.errors;
}

/** A value whose old state is known. */
interface Known {
  readonly schema: StructuralSchema;
  readonly value: JsonValue;
  readonly old: JsonValue;
}

/** The place of a value in the walk. */
interface Place {
  readonly old: JsonValue | undefined;
  readonly path: FieldPath;
  readonly isResource?: boolean;
  readonly isRoot?: boolean;
  /** The value with its old state, for ratcheting. */
  readonly known: Known | undefined;
  /** The node itself, or the innermost enclosing one whose old value is known. */
  readonly same: Known | undefined;
}

class RuleWalk {
  readonly errors: FieldError[] = [];
  readonly #budget = new Budget(OBJECT_BUDGET);
  readonly #slice = new TimeSlice();
  readonly #ratchet = new Ratchet();
  readonly #options: RuleOptions;
  #isOver = false;

  constructor(options: RuleOptions) {
    this.#options = options;
  }

  *value(schema: StructuralSchema, value: JsonValue, place: Place): Checks<void> {
    if (!schema.holds.rules || value === null || this.#isOver) return;
    if (schema.rules.length > 0) yield* this.#run(schema, value, place);
    if (Array.isArray(value)) yield* this.#items(schema, value, place);
    else if (isObject(value)) yield* this.#members(schema, value, place);
  }

  *#items(schema: StructuralSchema, list: readonly JsonValue[], place: Place): Checks<void> {
    const { items } = schema;
    if (items?.holds.rules !== true) return;
    const oldItem = itemFinder(schema, place.old);
    for (let i = 0; i < list.length && !this.#isOver; i++) {
      const old = oldItem(list[i]!);
      yield* this.value(items, list[i]!, this.#below(place, items, list[i]!, old, place.path.index(i)));
    }
  }

  *#members(schema: StructuralSchema, object: { readonly [name: string]: JsonValue }, place: Place): Checks<void> {
    for (const name of Object.keys(object)) {
      const member = memberSchema(schema, name);
      if (member?.holds.rules !== true) continue;
      const path = schema.properties.has(name) ? place.path.child(name) : place.path.key(name);
      const old = oldMember(place.old, name);
      const below = this.#below(place, member, object[name]!, old, path);
      // The old version and kind of the root are unknown.
      const isHidden = place.isRoot === true && oldMember(place.old, name, true) === undefined && old !== undefined;
      yield* this.value(member, object[name]!, isHidden ? { ...below, known: undefined, same: undefined } : below);
    }
  }

  #below(
    { known, same }: Place,
    schema: StructuralSchema,
    value: JsonValue,
    old: JsonValue | undefined,
    path: FieldPath,
  ): Place {
    if (known === undefined) return { old, path, known, same };
    const own = old === undefined ? undefined : { schema, value, old };
    return { old, path, known: own, same: own ?? same };
  }

  *#run(schema: StructuralSchema, value: JsonValue, place: Place): Checks<void> {
    const rules = rulesOf(schema, place.isResource === true);
    for (let i = 0; i < rules.length && !this.#isOver; i++) {
      if (this.#slice.over) {
        yield;
        this.#slice.begin();
      }
      const [compiledRule, rule] = [rules[i]!, schema.rules[i]!];
      if ('problem' in compiledRule) this.#refuse(schema, place.path, `rule compile error: ${compiledRule.problem}`);
      else if (!compiledRule.isTransition || compiledRule.takesNew || (place.old ?? undefined) !== undefined) {
        this.#evaluate(compiledRule, rule, schema, value, place);
      }
    }
  }

  #evaluate(
    compiledRule: CompiledRule,
    rule: SchemaRule,
    schema: StructuralSchema,
    value: JsonValue,
    place: Place,
  ): void {
    const { path } = place;
    const text = ruleText(rule);
    const budget = this.#budget;
    const old = place.old ?? undefined;
    let holds = false;
    try {
      holds = compiledRule.holds(value, old, budget);
      if (budget.left < 0) throw new OverBudgetError();
    } catch (error) {
      if (error instanceof OverBudgetError) this.#end(schema, path, text);
      else if (!(error instanceof EvaluationError)) throw error;
      else if (error.message.startsWith('no such overload')) {
        const detail = `call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
        this.#refuse(schema, path, `'${error.message}': ${detail}`);
      } else this.#refuse(schema, path, `${error.message} evaluating rule: ${text}`);
      return;
    }
    if (holds) return;
    let message: string;
    try {
      message = ruleMessage(rule, compiledRule, { value, old, budget });
      if (budget.left < 0) throw new OverBudgetError();
    } catch (error) {
      if (!(error instanceof OverBudgetError)) throw error;
      this.#isOver = true;
      message =
        budget.left < 0
          ? `messageExpression evaluation failed due to running out of cost budget, ${REST}`
          : `${REST} due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
    }
    this.#tell(this.#failure(compiledRule, rule, schema, value, path, message), compiledRule, place);
  }

  /** Ends the check, because the rules have exceeded their cost budget. */
  #end(schema: StructuralSchema, path: FieldPath, text: string): void {
    this.#isOver = true;
    const detail =
      this.#budget.left < 0
        ? `validation failed due to running out of cost budget, ${REST}`
        : `'operation cancelled: actual cost limit exceeded': ${REST} due to call cost exceeds limit for rule: ${text}`;
    this.#refuse(schema, path, detail);
  }

  #failure(
    { fieldPath }: CompiledRule,
    { reason }: SchemaRule,
    schema: StructuralSchema,
    value: JsonValue,
    path: FieldPath,
    message: string,
  ): FieldError {
    const at = fieldPath === undefined ? path : `${path}` === '' ? fieldPath : new FieldPath(`${fieldPath}`, path);
    const found = this.#shown(schema, value);
    switch (reason) {
      case 'FieldValueRequired':
        return fieldError(reason, at, `Required value: ${message}`);
      case 'FieldValueForbidden':
        return fieldError(reason, at, `Forbidden: ${message}`);
      case 'FieldValueDuplicate':
        return fieldError(reason, at, `Duplicate value${found === '' ? '' : `: ${found}`}`);
      default:
        return fieldError('FieldValueInvalid', at, `Invalid value: ${found === '' ? '' : `${found}: `}${message}`);
    }
  }

  /** The part of an error that shows a value. Empty if nothing is shown. */
  #shown({ types, intOrString }: StructuralSchema, value: JsonValue): string {
    const type = intOrString ? '' : (types[0] ?? '');
    if (this.#options.showsValues !== true) return JSON.stringify(type);
    return type === 'object' || type === 'array' ? '' : shown(value);
  }

  /** An error, or a warning if the value is unchanged. Transition rules always count. */
  #tell(error: FieldError, { isTransition }: CompiledRule, { same }: Place): void {
    const { ratchet } = this.#options;
    const isOld = !isTransition && same !== undefined && this.#ratchet.isSame(same.schema, same.value, same.old);
    if (isOld && ratchet !== undefined) ratchet(error.text);
    else this.#add(error);
  }

  #refuse({ types, intOrString }: StructuralSchema, path: FieldPath, detail: string): void {
    const type = intOrString ? '' : (types[0] ?? '');
    this.#add(fieldError('FieldValueInvalid', path, `Invalid value: ${JSON.stringify(type)}: ${detail}`));
  }

  #add(error: FieldError): void {
    if (this.errors.length >= MAX_ERRORS) this.#isOver = true;
    this.errors.push(error);
  }
}

const REST = 'no further validation rules will be run';
