import { CommandError } from '../frame/errors.ts';
import type { Generator } from './generator.ts';

export const namespace: Generator = {
  ...{ name: 'namespace', aliases: ['ns'], short: 'Create a namespace with the specified name' },
  usage: '[--dry-run=server|client|none]',
  examples: '# A namespace team-a\n{} create namespace team-a',
  flags: [],
  ...{ apiVersion: 'v1', kind: 'Namespace', namespaced: false },
  describe: () => ({ spec: {}, status: {} }),
};

export const serviceAccount: Generator = {
  ...{ name: 'serviceaccount', aliases: ['sa'], short: 'Create a service account with the specified name' },
  usage: '[--dry-run=server|client|none]',
  examples: '# A service account robot\n{} create serviceaccount robot',
  flags: [],
  ...{ apiVersion: 'v1', kind: 'ServiceAccount', namespaced: true },
  failure: 'failed to create serviceaccount:',
  describe: () => ({}),
};

export const priorityClass: Generator = {
  ...{ name: 'priorityclass', aliases: ['pc'], short: 'Create a priority class with the specified name' },
  usage: '--value=VALUE --global-default=BOOL [--dry-run=server|client|none]',
  examples: '# A priority for what must run\n{} create priorityclass high --value=1000 --description="what must run"',
  flags: [
    { name: 'description', type: 'string', help: 'When to use the class' },
    { name: 'global-default', type: 'bool', help: 'The class of pods that name none' },
    {
      name: 'preemption-policy',
      type: 'string',
      default: 'PreemptLowerPriority',
      help: 'Whether pods of this class drive out those of a lower priority: PreemptLowerPriority or Never',
    },
    { name: 'value', type: 'int', default: 0, help: 'The priority; pods with higher ones come first' },
  ],
  ...{ apiVersion: 'scheduling/v1', kind: 'PriorityClass', namespaced: false },
  failure: 'failed to create priorityclass:',
  describe: (_, { flags }) => ({
    value: flags.int('value'),
    ...(flags.bool('global-default') ? { globalDefault: true } : {}),
    ...(flags.text('description') === '' ? {} : { description: flags.text('description') }),
    preemptionPolicy: flags.text('preemption-policy'),
  }),
};

const QUANTITY = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

export const resourceQuota: Generator = {
  ...{ name: 'quota', aliases: ['resourcequota'], short: 'Create a quota with the specified name' },
  usage: '[--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]',
  examples: '# At most a processor and two pods\n{} create quota small --hard=cpu=1,pods=2',
  flags: [
    { name: 'hard', type: 'string', help: 'Limits: resource=quantity, between commas' },
    { name: 'scopes', type: 'string', help: 'What is counted: scopes between commas' },
  ],
  ...{ apiVersion: 'v1', kind: 'ResourceQuota', namespaced: true },
  failure: 'failed to create quota:',
  describe: (_, { flags }) => {
    const hard: Record<string, string> = {};
    for (const part of flags.text('hard').split(',')) {
      if (part === '') continue;
      const [name = '', quantity, ...more] = part.split('=');
      if (quantity === undefined || more.length > 0 || name === '')
        throw new CommandError(`Invalid argument syntax ${part}, expected <resource>=<value>`);
      if (!QUANTITY.test(quantity))
        throw new CommandError(`quantities must match the regular expression '${QUANTITY.source}'`);
      hard[name] = quantity;
    }
    const scopes = flags.text('scopes') === '' ? [] : flags.text('scopes').split(',');
    const spec = { ...(Object.keys(hard).length === 0 ? {} : { hard }), ...(scopes.length === 0 ? {} : { scopes }) };
    return { spec, status: {} };
  },
};

export const disruptionBudget: Generator = {
  ...{ name: 'poddisruptionbudget', aliases: ['pdb'] },
  short: 'Create a pod disruption budget with the specified name',
  usage: '--selector=SELECTOR --min-available=N [--dry-run=server|client|none]',
  examples: '# At least two of the pods of web stay\n{} create pdb web --selector=app=web --min-available=2',
  flags: [
    { name: 'max-unavailable', type: 'string', help: 'How many pods may be away, as a number or in percent' },
    { name: 'min-available', type: 'string', help: 'How many pods must be there, as a number or in percent' },
    { name: 'selector', type: 'string', help: 'Labels of the pods' },
  ],
  ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespaced: true },
  failure: 'failed to create poddisruptionbudgets:',
  describe: (_, { flags }) => {
    const [least, most] = [flags.text('min-available'), flags.text('max-unavailable')];
    if (flags.text('selector') === '') throw new CommandError('a selector must be specified');
    if (least === '' && most === '')
      throw new CommandError('one of min-available or max-unavailable must be specified');
    if (least !== '' && most !== '')
      throw new CommandError('min-available and max-unavailable cannot be both specified');
    const count = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : text);
    return {
      spec: {
        ...(least === '' ? { maxUnavailable: count(most) } : { minAvailable: count(least) }),
        selector: selectorOf(flags.text('selector')),
      },
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    };
  },
};

/** A label selector as objects carry it. @throws CommandError */
function selectorOf(text: string): object {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: object[] = [];
  for (const part of text.split(/,(?![^(]*\))/).map((each) => each.trim())) {
    const set = /^(\S+) +(in|notin) *\(([^)]*)\)$/.exec(part);
    const pair = /^([^=!\s]+) *(==?|!=) *([^=\s]*)$/.exec(part);
    if (set !== null) {
      const values = set[3]!.split(',').map((value) => value.trim());
      matchExpressions.push({ key: set[1], operator: set[2] === 'in' ? 'In' : 'NotIn', values });
    } else if (pair !== null && pair[2] !== '!=') matchLabels[pair[1]!] = pair[3]!;
    else if (pair !== null) matchExpressions.push({ key: pair[1], operator: 'NotIn', values: [pair[3]] });
    else if (/^![^=!\s]+$/.test(part)) matchExpressions.push({ key: part.slice(1), operator: 'DoesNotExist' });
    else if (/^[^=!\s]+$/.test(part)) matchExpressions.push({ key: part, operator: 'Exists' });
    else throw new CommandError(`couldn't parse the selector string "${text}": unable to parse requirement`);
  }
  return {
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
  };
}
