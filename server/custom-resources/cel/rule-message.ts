import type { JsonValue } from '#base/json/json-value.ts';
import { EvaluationError } from '../../expressions/cel-value.ts';
import type { Budget } from '../../expressions/expression.ts';
import type { SchemaRule } from '../schema/structural-schema.ts';
import type { CompiledRule } from './compile-rule.ts';

/** The longest message of an expression, in bytes. */
const MAX_MESSAGE = 5 * 1024;

/** The name of a rule in errors. */
export function ruleText({ message, rule }: SchemaRule): string {
  return message.trim() || rule.trim();
}

/**
 * The message to a client about a rule that failed: the result of its message expression, or its fixed message if the
 * expression gives no usable text.
 * @throws OverBudgetError if the message costs too much
 */
export function ruleMessage(
  rule: SchemaRule,
  { message }: CompiledRule,
  { value, old, budget }: { value: JsonValue; old: JsonValue | undefined; budget: Budget },
): string {
  const own = rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  if (message === undefined || 'problem' in message) return own;
  try {
    const made = message.of(value, old, budget);
    const text = typeof made === 'string' ? made.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE ? own : text;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return own;
  }
}
