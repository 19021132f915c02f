import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
} from '#schema/generated/autoscaling.v2.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateNonnegativeQuantity } from '#schema/validation/resources.ts';

const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const MAX_STABILIZATION_SECONDS = bounds['autoscaling.v2.HPAScalingRules'].stabilizationWindowSeconds.maximum;
const MAX_PERIOD_SECONDS = bounds['autoscaling.v2.HPAScalingPolicy'].periodSeconds.maximum;
const ABOVE_ZERO = 'must be greater than zero';

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, POLICY_TYPES));
  if (value <= 0) errors.push(invalidValue(path.child('value'), value, ABOVE_ZERO));
  const period = path.child('periodSeconds');
  if (periodSeconds <= 0) errors.push(invalidValue(period, periodSeconds, ABOVE_ZERO));
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    errors.push(invalidValue(period, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  }
  return errors;
}

function validateRules(rules: HPAScalingRules, path: FieldPath): FieldError[] {
  const { stabilizationWindowSeconds: window = 0, selectPolicy } = rules;
  const policies = rules.policies ?? [];
  const errors: FieldError[] = [];
  const at = path.child('stabilizationWindowSeconds');
  if (window < 0) errors.push(invalidValue(at, window, 'must be greater than or equal to zero'));
  if (window > MAX_STABILIZATION_SECONDS) {
    errors.push(invalidValue(at, window, `must be less than or equal to ${MAX_STABILIZATION_SECONDS}`));
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(path.child('selectPolicy'), selectPolicy, SELECT_POLICIES));
  }
  if (policies.length === 0) errors.push(required(path.child('policies'), 'must specify at least one Policy'));
  append(
    errors,
    policies.flatMap((policy, i) => validatePolicy(policy, path.child('policies').index(i))),
  );
  if (rules.tolerance !== undefined)
    append(errors, validateNonnegativeQuantity(rules.tolerance, path.child('tolerance')));
  return errors;
}

/** Validates how fast an autoscaler may increase and reduce the number of pods. */
export function validateBehavior(behavior: HorizontalPodAutoscalerBehavior | undefined, path: FieldPath): FieldError[] {
  return (['scaleUp', 'scaleDown'] as const).flatMap((direction) => {
    const rules = behavior?.[direction];
    return rules === undefined ? [] : validateRules(rules, path.child(direction));
  });
}
