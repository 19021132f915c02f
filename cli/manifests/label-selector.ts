import { StatusError } from '#base/errors/status-error.ts';
import { holds, parseRequirements, type Requirement } from '#schema/validation/requirements.ts';
import { CommandError } from '../framework/errors.ts';

/**
 * The requirements of `a=b,c!=d,e in (f,g),!h`.
 * @throws CommandError with the text that `words` makes from the mistake
 */
export function parseLabelSelector(text: string, words: (mistake: string) => string): Requirement[] {
  try {
    return parseRequirements(text);
  } catch (error) {
    if (error instanceof StatusError) throw new CommandError(words(error.message));
    throw error;
  }
}

/** A selector in the form of object fields. It has only the operators that the fields can express. */
interface SelectorObject {
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: string[];
  }[];
  readonly matchLabels?: Readonly<Record<string, string>>;
}

const OPERATORS = { in: 'In', notin: 'NotIn', exists: 'Exists', '!': 'DoesNotExist' } as const;

/** A label selector in the form that objects contain. @throws CommandError if the selector is malformed */
export function selectorObject(text: string): SelectorObject {
  const labels = new Map<string, string>();
  const matchExpressions: { key: string; operator: string; values?: string[] }[] = [];
  const words = (mistake: string) => `couldn't parse the selector string "${text}": ${mistake}`;
  for (const { key, operator, values, written } of parseLabelSelector(text, words)) {
    if (operator === 'gt' || operator === 'lt')
      throw new CommandError(`"${operator}" isn't supported in label selectors`);
    if (written === '!=') throw new CommandError('"!=" is not a valid label selector operator');
    if (written === '=') labels.set(key, [...values][0]!);
    else
      matchExpressions.push({
        ...{ key, operator: OPERATORS[operator] },
        ...(values.size === 0 ? {} : { values: [...values].sort() }),
      });
  }
  return {
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
    ...(labels.size === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
  };
}

/** Whether labels meet all requirements. */
export function labelsFit(
  labels: Readonly<Record<string, string>> | undefined,
  requirements: readonly Requirement[],
): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}
