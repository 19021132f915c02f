import { countOrText } from '#schema/values/int-or-string.ts';
import { canonicalQuantity } from '#schema/values/quantity.ts';
import { CommandError } from '../../framework/errors.ts';
import { selectorObject } from '../../manifests/label-selector.ts';
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
  examples:
    '# A priority class for important pods\n{} create priorityclass high --value=1000 --description="what must run"',
  flags: [
    { name: 'description', type: 'string', help: 'Description that tells when to use the class' },
    { name: 'global-default', type: 'bool', help: 'Use this class for pods that name no priority class' },
    {
      name: 'preemption-policy',
      type: 'string',
      default: 'PreemptLowerPriority',
      help: 'Whether pods of this class preempt pods of lower priority: PreemptLowerPriority or Never',
    },
    {
      name: 'value',
      type: 'int',
      bits: 32,
      default: 0,
      help: 'Priority of the pods; pods with a higher value are scheduled first',
    },
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

export const resourceQuota: Generator = {
  ...{ name: 'quota', aliases: ['resourcequota'], short: 'Create a quota with the specified name' },
  usage: '[--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]',
  examples: '# At most one CPU and two pods\n{} create quota small --hard=cpu=1,pods=2',
  flags: [
    { name: 'hard', type: 'string', help: 'Hard limits: resource=quantity, separated by commas' },
    { name: 'scopes', type: 'string', help: 'Scopes that limit which objects the quota counts, separated by commas' },
  ],
  ...{ apiVersion: 'v1', kind: 'ResourceQuota', namespaced: true },
  failure: 'failed to create quota:',
  describe: (_, { flags }) => {
    const hard: Record<string, string> = {};
    for (const part of flags.text('hard') === '' ? [] : flags.text('hard').split(',')) {
      const [name = '', quantity, ...more] = part.split('=');
      if (quantity === undefined || more.length > 0)
        throw new CommandError(`Invalid argument syntax ${part}, expected <resource>=<value>`);
      hard[name] = canonicalQuantity(quantity);
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
  examples: '# At least two pods with the label stay available\n{} create pdb web --selector=app=web --min-available=2',
  flags: [
    {
      name: 'max-unavailable',
      type: 'string',
      help: 'Largest number of pods that may be unavailable, as a number or a percentage',
    },
    {
      name: 'min-available',
      type: 'string',
      help: 'Smallest number of pods that must be available, as a number or a percentage',
    },
    { name: 'selector', type: 'string', help: 'Label selector of the pods' },
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
    for (const [flag, text] of [
      ['min-available', least],
      ['max-unavailable', most],
    ] as const)
      if (text !== '' && !/^[0-9]+%?$/.test(text)) throw new CommandError(`invalid format specified for ${flag}`);
    return {
      spec: {
        ...(least === '' ? { maxUnavailable: countOrText(most) } : { minAvailable: countOrText(least) }),
        selector: selectorObject(flags.text('selector')),
      },
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    };
  },
};
