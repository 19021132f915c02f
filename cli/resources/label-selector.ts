import { CommandError } from '../frame/errors.ts';

/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

const REQUIREMENT =
  /^\s*(?:(?<absent>!)\s*)?(?<key>[^\s=!,()]+)\s*(?:(?<op>==|=|!=)\s*(?<value>[^\s,]*)|\s(?<set>in|notin)\s*\((?<values>[^)]*)\))?\s*(?:,|$)/;

/** The conditions of `a=b,c!=d,e in (f,g),!h`. @throws CommandError */
export function parseLabelSelector(text: string): Requirement[] {
  const requirements: Requirement[] = [];
  for (let rest = text; rest !== ''; ) {
    const match = REQUIREMENT.exec(rest);
    const groups = match?.groups;
    if (match === null || groups === undefined)
      throw new CommandError(`couldn't parse the selector string "${text}": unable to parse requirement: ${rest}`);
    const { absent, key = '', op, value = '', set, values } = groups;
    if (op !== undefined) requirements.push({ key, operator: op === '!=' ? '!=' : '=', values: [value] });
    else if (set !== undefined) {
      const each = [...new Set(values!.split(',').map((one) => one.trim()))].sort();
      requirements.push({ key, operator: set === 'in' ? 'In' : 'NotIn', values: each });
    } else requirements.push({ key, operator: absent === undefined ? 'Exists' : 'DoesNotExist', values: [] });
    rest = rest.slice(match[0].length);
  }
  return requirements;
}

/** Whether labels meet all conditions. */
export function labelsFit(
  labels: Readonly<Record<string, string>> | undefined,
  requirements: readonly Requirement[],
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case '=':
      case 'In':
        return value !== undefined && values.includes(value);
      case '!=':
      case 'NotIn':
        return value === undefined || !values.includes(value);
      default:
        return (value !== undefined) === (operator === 'Exists');
    }
  });
}
