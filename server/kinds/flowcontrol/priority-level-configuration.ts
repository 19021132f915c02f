import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { priorityLevelConfigurationVersions } from '#schema/conversion/flowcontrol/priority-level-configuration.ts';
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { flowControlKind, SPEC } from './flow-control-kind.ts';
import { EXEMPT, mandatoryPriorityLevels } from './mandatory.ts';

const MAX_QUEUES = 10_000_000;
/** Queues are chosen by shuffling a hash of 64 bits: more choices than these bits tell apart make no sense. */
const MAX_ENTROPY_BITS = 60;
const POSITIVE = 'must be positive';

/** The hand of queues that a flow may use is not more than there are, and can be dealt from one hash. */
function handSizeProblem({ queues, handSize }: QueuingConfiguration): string | undefined {
  if (handSize <= 0) return POSITIVE;
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (Math.ceil(Math.log2(queues) * handSize) <= MAX_ENTROPY_BITS) return undefined;
  const bits = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
  return `${bits} should not be greater than ${MAX_ENTROPY_BITS}`;
}

function validateQueuing(queuing: QueuingConfiguration, path: FieldPath): FieldError[] {
  const { queues, handSize, queueLengthLimit } = queuing;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalidValue(path.child('queueLengthLimit'), queueLengthLimit, POSITIVE));
  if (queues <= 0) errors.push(invalidValue(path.child('queues'), queues, POSITIVE));
  else if (queues > MAX_QUEUES) {
    errors.push(invalidValue(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const problem = handSizeProblem(queuing);
  if (problem !== undefined) errors.push(invalidValue(path.child('handSize'), handSize, problem));
  return errors;
}

/** A share that is lent or borrowed. */
function validatePercent(value: number | undefined, path: FieldPath, most = Infinity): FieldError[] {
  if (value === undefined || (value >= 0 && value <= most)) return [];
  const detail =
    most === Infinity ? 'if specified, must be a non-negative integer' : `must be between 0 and ${most}, inclusive`;
  return [invalidValue(path, value, detail)];
}

function validateLimited(
  limited: LimitedPriorityLevelConfiguration,
  path: FieldPath,
  mayHaveNone: boolean,
): FieldError[] {
  const { assuredConcurrencyShares: shares, limitResponse } = limited;
  const least = mayHaveNone ? 0 : 1;
  const problem = mayHaveNone ? 'must be a non-negative integer' : POSITIVE;
  const field = mayHaveNone ? 'nominalConcurrencyShares' : 'assuredConcurrencyShares';
  const errors = shares >= least ? [] : [invalidValue(path.child(field), shares, problem)];
  errors.push(...validatePercent(limited.lendablePercent, path.child('lendablePercent'), 100));
  errors.push(...validatePercent(limited.borrowingLimitPercent, path.child('borrowingLimitPercent')));
  const at = path.child('limitResponse');
  const { type = '', queuing } = limitResponse ?? {};
  if (type === 'Reject') {
    const detail = 'must be nil if limited.limitResponse.type is not Limited';
    return queuing === undefined ? errors : [...errors, forbiddenField(at.child('queuing'), detail)];
  }
  if (type !== 'Queue') return [...errors, notSupported(at.child('type'), type, ['Queue', 'Reject'])];
  if (queuing !== undefined) return [...errors, ...validateQueuing(queuing, at.child('queuing'))];
  const detail = 'must not be empty if limited.limitResponse.type is Limited';
  return [...errors, required(at.child('queuing'), detail)];
}

function validateSpec(
  { type, limited, exempt }: PriorityLevelConfigurationSpec,
  name: string,
  release: Release,
): FieldError[] {
  const errors: FieldError[] = [];
  if ((name === EXEMPT) !== (type === 'Exempt')) {
    errors.push(invalidValue(SPEC.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'"));
  }
  const path = SPEC.child('limited');
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbiddenField(path, 'must be nil if the type is not Limited'));
  } else if (type !== 'Limited') {
    errors.push(notSupported(SPEC.child('type'), type, ['Exempt', 'Limited']));
  } else if (limited === undefined) {
    errors.push(required(path, 'must not be empty when type is Limited'));
  } else errors.push(...validateLimited(limited, path, release.atLeast(29)));
  if (exempt !== undefined && type !== 'Exempt')
    errors.push(forbiddenField(SPEC.child('exempt'), 'must be nil if the type is Limited'));
  return errors;
}

/** A share of the server's capacity, and the rules for requests that wait for it. */
export const createPriorityLevelRules = (release: Release): KindRules<PriorityLevelConfiguration> =>
  flowControlKind<PriorityLevelConfigurationSpec, PriorityLevelConfiguration>({
    plural: 'prioritylevelconfigurations',
    versions: priorityLevelConfigurationVersions,
    emptySpec: { type: '' },
    validateSpec: (spec, name) => validateSpec(spec, name, release),
    mandatory: mandatoryPriorityLevels(release),
    variable: ({ exempt: _, ...fixed }) => fixed,
    cells({ metadata, spec }, { now }) {
      const { limited } = spec ?? {};
      const queuing = limited?.limitResponse?.queuing;
      return [
        metadata.name ?? '',
        spec?.type ?? '',
        limited?.assuredConcurrencyShares ?? '<none>',
        limited?.assuredConcurrencyShares ?? '<none>',
        queuing?.queues ?? '<none>',
        queuing?.handSize ?? '<none>',
        queuing?.queueLengthLimit ?? '<none>',
        age(metadata.creationTimestamp, now),
      ];
    },
  });
