import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  notSupported,
  required,
  tooMany,
} from '#base/errors/field-error.ts';
import type { Container, ContainerRestartRule } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import type { PodSpecContext } from './context.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const OPERATORS = ['In', 'NotIn'];
const RULES_GATE = 'ContainerRestartRules';
const WHOLE_POD_GATE = 'RestartAllContainersOnContainerExits';
const { maxItems: MAX_RULES } = bounds['core.v1.Container'].restartPolicyRules;
const { maxItems: MAX_VALUES } = bounds['core.v1.ContainerRestartRuleOnExitCodes'].values;

type Context = Pick<PodSpecContext, 'gates'>;

/** Validates the restart policy of a container and the rules about exit codes, if they differ from those of its pod. */
export function validateContainerRestart(container: Container, context: Context, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (!context.gates.enabled(RULES_GATE))
    return restartPolicy === undefined
      ? []
      : [forbiddenField(path.child('restartPolicy'), 'may not be set for non-init containers')];
  return [...validatePolicy(restartPolicy, rules, path), ...validateRules(rules, context, path)];
}

/** The same checks for an init container. It ends before the other containers start, or runs beside them. */
export function validateInitRestart(container: Container, context: Context, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const { gates } = context;
  if (gates.enabled(RULES_GATE)) {
    const watched = restartPolicy === 'Always' && !gates.enabled(WHOLE_POD_GATE);
    if (!watched) return validateContainerRestart(container, context, path);
    const detail = 'restartPolicyRules are not allowed for init containers with restart policy Always';
    return rules.length === 0 ? [] : [forbiddenField(path.child('restartPolicyRules'), detail)];
  }
  if (restartPolicy === undefined || restartPolicy === 'Always') return [];
  return [notSupported(path.child('restartPolicy'), restartPolicy, ['Always'])];
}

function validatePolicy(
  policy: string | undefined,
  rules: readonly ContainerRestartRule[],
  path: FieldPath,
): FieldError[] {
  const at = path.child('restartPolicy');
  if (policy !== undefined) return POLICIES.includes(policy) ? [] : [notSupported(at, policy, POLICIES)];
  return rules.length === 0 ? [] : [required(at, 'must specify restartPolicy when restart rules are used')];
}

function validateRules(rules: readonly ContainerRestartRule[], { gates }: Context, path: FieldPath): FieldError[] {
  const list = path.child('restartPolicyRules');
  const actions = gates.enabled(WHOLE_POD_GATE) ? ['Restart', 'RestartAllContainers'] : ['Restart'];
  const errors = rules.length > MAX_RULES ? [tooMany(list, rules.length, MAX_RULES)] : [];
  rules.forEach(({ action, exitCodes }, i) => {
    const at = list.index(i);
    if (!actions.includes(action)) errors.push(notSupported(at.child('action'), action, actions));
    if (exitCodes === undefined) {
      errors.push(required(at.child('exitCodes'), 'must be specified'));
      return;
    }
    const { operator, values = [] } = exitCodes;
    const inside = at.child('exitCodes');
    if (!OPERATORS.includes(operator)) errors.push(notSupported(inside.child('operator'), operator, OPERATORS));
    if (values.length > MAX_VALUES) errors.push(tooMany(inside.child('values'), values.length, MAX_VALUES));
  });
  return errors;
}
