import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  replacedByRule,
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
/**
 * The largest number of bits of a choice of queues. The server chooses queues with a hash of 64 bits, which cannot
 * distinguish more choices.
 */
const MAX_ENTROPY_BITS = 60;
const POSITIVE = 'must be positive';

/**
 * Validates the number of queues that a flow may use. It cannot be larger than the number of queues, and one hash must
 * be enough to choose them.
 */
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

/** Validates a percentage that is lent or borrowed. */
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
  return [
    ...(shares >= least ? [] : [invalidValue(path.child(field), shares, problem)]),
    ...validateResponse(limitResponse, path.child('limitResponse')),
    ...validatePercent(limited.lendablePercent, path.child('lendablePercent'), 100),
    ...validatePercent(limited.borrowingLimitPercent, path.child('borrowingLimitPercent')),
  ];
}

/** Validates the reaction to requests beyond the limit. */
function validateResponse(response: LimitedPriorityLevelConfiguration['limitResponse'], path: FieldPath): FieldError[] {
  const { type = '', queuing } = response ?? {};
  const at = path.child('queuing');
  if (type === 'Reject') {
    const error = forbiddenField(at, 'must be nil if limited.limitResponse.type is not Limited');
    return queuing === undefined ? [] : [replacedByRule(error, 37, forbiddenField(at, ''))];
  }
  if (type !== 'Queue') return [unknownWord(type, path.child('type'), ['Queue', 'Reject'])];
  if (queuing !== undefined) return validateQueuing(queuing, at);
  const error = required(at, 'must not be empty if limited.limitResponse.type is Limited');
  return [replacedByRule(error, 37, required(at))];
}

/** The error about an unknown word, or since 1.37 about a missing one. */
function unknownWord(word: string, path: FieldPath, known: readonly string[]): FieldError {
  const error = notSupported(path, word, known);
  return word === '' ? replacedByRule(error, 37, required(path)) : error;
}

/** Since 1.28, validates the share of a level without a limit. */
function validateExempt(
  { nominalConcurrencyShares: shares = 0, lendablePercent }: NonNullable<PriorityLevelConfigurationSpec['exempt']>,
  path: FieldPath,
): FieldError[] {
  const at = path.child('nominalConcurrencyShares');
  return [
    ...(shares >= 0 ? [] : [invalidValue(at, shares, 'must be a non-negative integer')]),
    ...validatePercent(lendablePercent, path.child('lendablePercent'), 100),
  ];
}

function validateSpec(spec: PriorityLevelConfigurationSpec, name: string, release: Release): FieldError[] {
  const { type } = spec;
  const at = SPEC.child('type');
  const only = (title: string, word: string): FieldError =>
    invalidValue(at, type, `${title}must be 'Exempt' if and only if ${word} is 'exempt'`);
  const isMisnamed = (name === EXEMPT) !== (type === 'Exempt');
  return [
    ...(isMisnamed ? [{ ...only('type ', 'name'), since: [[37, only('', '`name`')]] as const }] : []),
    ...validateParts(spec, release),
    ...(type === 'Exempt' || type === 'Limited' ? [] : [unknownWord(type, at, ['Exempt', 'Limited'])]),
  ];
}

/** Validates the parts of a spec. Each type has one of them. */
function validateParts({ type, limited, exempt }: PriorityLevelConfigurationSpec, release: Release): FieldError[] {
  const [ofExempt, ofLimited] = [SPEC.child('exempt'), SPEC.child('limited')];
  if (type === 'Exempt') {
    const error = forbiddenField(ofLimited, 'must be nil if the type is not Limited');
    return [
      ...(limited === undefined ? [] : [replacedByRule(error, 37, forbiddenField(ofLimited, ''))]),
      ...(exempt === undefined ? [] : validateExempt(exempt, ofExempt)),
    ];
  }
  if (type !== 'Limited') return [];
  const error = forbiddenField(ofExempt, 'must be nil if the type is Limited');
  const missing = required(ofLimited, 'must not be empty when type is Limited');
  return [
    ...(exempt === undefined ? [] : [replacedByRule(error, 37, forbiddenField(ofExempt, ''))]),
    ...(limited === undefined
      ? [replacedByRule(missing, 37, required(ofLimited))]
      : validateLimited(limited, ofLimited, release.atLeast(29))),
  ];
}

/** The kind of priority levels. Each is a share of the server's capacity, with rules for requests that wait for it. */
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
