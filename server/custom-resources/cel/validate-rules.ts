import { type FieldError, FieldPath, fieldError } from '#base/errors/field-error.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { latestRelease } from '#base/release/release.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { EvaluationError } from '../../expressions/cel-value.ts';
import { environmentOf } from '../../expressions/environment.ts';
import { Budget, OverBudgetError } from '../../expressions/expression.ts';
import type { Checks } from '../schema/check-work.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';
import { MAX_ERRORS } from '../schema/value-errors.ts';
import { type BrokenRule, type CompiledRule, compileRule } from './compile-rule.ts';
import { itemFinder } from './match-items.ts';

/** The most that the rules of one object may cost together. */
const OBJECT_BUDGET = 10_000_000;

/**
 * What was stored may use all that any release knows, as another release may have taken it. What a release lacks is
 * refused when a definition is written.
 */
const storedEnvironment = environmentOf(latestRelease);

type Rules = readonly (CompiledRule | BrokenRule)[];

/** Compiled rules by their schema, made when they are first needed; of a root they see its names, too. */
const compiled = new WeakMap<StructuralSchema, Rules>();

function rulesOf(schema: StructuralSchema, isResource: boolean): Rules {
  let rules = compiled.get(schema);
  if (rules === undefined) {
    rules = schema.rules.map((rule) => compileRule(rule, schema, isResource, storedEnvironment));
    compiled.set(schema, rules);
  }
  return rules;
}

/**
 * What is wrong with an object by the rules of its schema. `old` is the object before the change, for rules about
 * changes. Rules that cost more than they may end it, with an error that says so. Pauses where others are to have their
 * turn.
 */
export function* validateRules(
  schema: StructuralSchema,
  value: JsonValue,
  old: JsonValue | undefined,
  { path = new FieldPath(), isResource = true }: { readonly path?: FieldPath; readonly isResource?: boolean } = {},
): Checks<FieldError[]> {
  if (!schema.holds.rules) return [];
  const walk = new RuleWalk();
  yield* walk.value(schema, value, old, path, isResource);
  return walk.errors;
}

class RuleWalk {
  readonly errors: FieldError[] = [];
  readonly #budget = new Budget(OBJECT_BUDGET);
  readonly #slice = new TimeSlice();
  #isOver = false;

  *value(
    schema: StructuralSchema,
    value: JsonValue,
    old: JsonValue | undefined,
    path: FieldPath,
    isResource = false,
  ): Checks<void> {
    if (!schema.holds.rules || value === null || this.#isOver) return;
    if (schema.rules.length > 0) yield* this.#run(schema, value, old ?? undefined, path, isResource);
    if (Array.isArray(value)) yield* this.#items(schema, value, old, path);
    else if (isObject(value)) yield* this.#members(schema, value, old, path);
  }

  *#items(
    schema: StructuralSchema,
    list: readonly JsonValue[],
    old: JsonValue | undefined,
    path: FieldPath,
  ): Checks<void> {
    const { items } = schema;
    if (items?.holds.rules !== true) return;
    const oldItem = itemFinder(schema, old);
    for (let i = 0; i < list.length && !this.#isOver; i++)
      yield* this.value(items, list[i]!, oldItem(list[i]!), path.index(i));
  }

  *#members(
    { properties, additional }: StructuralSchema,
    object: { readonly [name: string]: JsonValue },
    old: JsonValue | undefined,
    path: FieldPath,
  ): Checks<void> {
    const before = old !== undefined && isObject(old) ? old : undefined;
    for (const name of Object.keys(object)) {
      const property = properties.get(name);
      const schema = property ?? (typeof additional === 'object' ? additional : undefined);
      if (schema?.holds.rules !== true) continue;
      const oldMember = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
      yield* this.value(schema, object[name]!, oldMember, property === undefined ? path.key(name) : path.child(name));
    }
  }

  *#run(
    schema: StructuralSchema,
    value: JsonValue,
    old: JsonValue | undefined,
    path: FieldPath,
    isResource: boolean,
  ): Checks<void> {
    const rules = rulesOf(schema, isResource);
    for (let i = 0; i < rules.length && !this.#isOver; i++) {
      if (this.#slice.over) {
        yield;
        this.#slice.begin();
      }
      const [compiledRule, rule] = [rules[i]!, schema.rules[i]!];
      if ('problem' in compiledRule) this.#refuse(schema, path, `rule compile error: ${compiledRule.problem}`);
      else if (!compiledRule.isTransition || old !== undefined) {
        this.#evaluate(compiledRule, rule, schema, { value, old, path });
      }
    }
  }

  #evaluate(
    compiledRule: CompiledRule,
    rule: SchemaRule,
    schema: StructuralSchema,
    { value, old, path }: { value: JsonValue; old: JsonValue | undefined; path: FieldPath },
  ): void {
    const shown = rule.message.trim() || rule.rule.trim();
    try {
      const holds = compiledRule.holds(value, old, this.#budget);
      if (!holds) this.#refuse(schema, path, rule.message.trim() || `failed rule: ${rule.rule.trim()}`);
      if (this.#budget.left < 0) throw new OverBudgetError();
    } catch (error) {
      if (error instanceof OverBudgetError) {
        this.#isOver = true;
        const rest = 'no further validation rules will be run';
        const detail =
          this.#budget.left < 0
            ? `validation failed due to running out of cost budget, ${rest}`
            : `'operation cancelled: actual cost limit exceeded': ${rest} due to call cost exceeds limit for rule: ${shown}`;
        this.#refuse(schema, path, detail);
      } else if (!(error instanceof EvaluationError)) throw error;
      else if (error.message.startsWith('no such overload')) {
        const detail = `call arguments did not match a supported operator, function or macro signature for rule: ${shown}`;
        this.#refuse(schema, path, `'${error.message}': ${detail}`);
      } else this.#refuse(schema, path, `${error.message} evaluating rule: ${shown}`);
    }
  }

  #refuse({ types, intOrString }: StructuralSchema, path: FieldPath, detail: string): void {
    if (this.errors.length >= MAX_ERRORS) this.#isOver = true;
    const type = intOrString ? '' : (types[0] ?? '');
    this.errors.push(fieldError('FieldValueInvalid', path, `Invalid value: ${JSON.stringify(type)}: ${detail}`));
  }
}
