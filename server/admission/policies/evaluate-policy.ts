import { Evaluator, OutOfBudget } from '../../expressions/admission/evaluator.ts';
import { typeNameOf } from '../../expressions/cel-value.ts';
import type { Inputs } from './request-inputs.ts';
import { CONDITIONS_BUDGET, ConditionError, type ExpressionRuns, POLICY_BUDGET } from './run-expressions.ts';
import type { PolicyAnnotation, PolicyRule, ValidatingPolicy } from './validating-policy.ts';

const MAX_MESSAGE = 5 * 1024;

/** A finding of a policy, and how long the evaluation took. */
export interface Problem {
  readonly message: string;
  readonly seconds: number;
}

/** A violated rule, or a rule that could not be evaluated. */
export interface Failure extends Problem {
  /** The place of the rule in the policy. */
  readonly index: number;
  readonly reason: string;
}

/** The result of a policy for a request. */
export interface Verdict {
  readonly failures: readonly Failure[];
  /** Errors of rules that the failure policy ignores. */
  readonly passed: readonly Problem[];
  /** Annotations for the audit log, by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Errors of annotations for which the request is refused. */
  readonly annotationErrors: readonly Problem[];
}

const NOTHING: Verdict = { failures: [], passed: [], annotations: [], annotationErrors: [] };

/** Measures the time since its call, in seconds. */
function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

/** Evaluates a policy for a request, with one object of parameters. */
export async function evaluatePolicy(policy: ValidatingPolicy, inputs: Inputs, runs: ExpressionRuns): Promise<Verdict> {
  const { conditions, variables, rules, annotations } = policy.program();
  const whole = stopwatch();
  const failed = (message: string): Verdict => {
    const problem = { message, seconds: whole() };
    if (policy.failsOpen) return { ...NOTHING, passed: [problem] };
    return { ...NOTHING, failures: [{ ...problem, index: 0, reason: 'Invalid' }] };
  };
  try {
    if (conditions.length > 0) {
      const evaluator = new Evaluator(inputs, [], CONDITIONS_BUDGET);
      if (!(await runs.allHold(evaluator, conditions))) return NOTHING;
    }
    const evaluator = new Evaluator(inputs, variables, POLICY_BUDGET);
    const failures: Failure[] = [];
    const passed: Problem[] = [];
    for (const [index, rule] of rules.entries()) {
      const taken = stopwatch();
      const result = await runs.run(evaluator, rule.rule);
      if ('error' in result) {
        const problem = { message: result.error, seconds: taken() };
        if (policy.failsOpen) passed.push(problem);
        else failures.push({ ...problem, index, reason: 'Invalid' });
      } else if (result.value !== true) {
        const seconds = taken();
        failures.push({ index, message: await messageOf(rule, evaluator, runs), reason: rule.reason, seconds });
      }
    }
    if (annotations.length === 0) return { ...NOTHING, failures, passed };
    const noted = await annotate(policy, annotations, new Evaluator(inputs, variables, POLICY_BUDGET), runs);
    return { failures, passed, ...noted };
  } catch (error) {
    if (error instanceof ConditionError || error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/**
 * The message of a failed rule: the result of its message expression, or otherwise its message, or otherwise the rule
 * itself.
 */
async function messageOf(rule: PolicyRule, evaluator: Evaluator, runs: ExpressionRuns): Promise<string> {
  const { messageExpression, message } = rule;
  if (messageExpression !== undefined) {
    const made = await runs.run(evaluator, messageExpression);
    const text = 'value' in made && typeof made.value === 'string' ? made.value.trim() : '';
    if (text !== '' && Buffer.byteLength(text) <= MAX_MESSAGE && !text.includes('\n')) return text;
  }
  return message ?? `failed expression: ${rule.rule.text.trim()}`;
}

async function annotate(
  policy: ValidatingPolicy,
  annotations: readonly PolicyAnnotation[],
  evaluator: Evaluator,
  runs: ExpressionRuns,
): Promise<Pick<Verdict, 'annotations' | 'annotationErrors'>> {
  const made: [string, string][] = [];
  const errors: Problem[] = [];
  for (const { key, value } of annotations) {
    const taken = stopwatch();
    const result = await runs.run(evaluator, value);
    if ('error' in result) {
      if (!policy.failsOpen) errors.push({ message: result.error, seconds: taken() });
    } else if (typeof result.value === 'string') {
      const text = result.value.trim();
      if (text !== '') made.push([key, text]);
    } else if (result.value !== null) {
      const type = typeNameOf(result.value);
      const why = `resulted in unsupported return type: ${type}. Return type must be either string or null.`;
      errors.push({ message: `valueExpression '${value.text}' ${why}`, seconds: taken() });
    }
  }
  return { annotations: made, annotationErrors: errors };
}
