import type { Command, Invocation } from '../frame/command.ts';
import { throwAll } from '../frame/errors.ts';
import { found } from '../resources/found.ts';
import { select } from '../resources/selection.ts';
import {
  type Container,
  type Containers,
  containerFlags,
  patchContainers,
  podSpecOf,
  splitWords,
} from './containers.ts';

export const setEnv: Command = {
  name: 'env',
  short: 'Update environment variables on a pod template',
  examples:
    '# Set one, take one away, and list them\n{} set env deployment/web LEVEL=debug\n{} set env deployment/web LEVEL-\n{} set env deployment/web --list',
  usage: 'RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N',
  flags: [
    ...containerFlags,
    {
      name: 'containers',
      short: 'c',
      type: 'string',
      default: '*',
      help: 'Names of containers; * stands for anything',
    },
    { name: 'list', type: 'bool', help: 'Show the variables' },
    { name: 'overwrite', type: 'bool', default: true, help: 'Also change variables that are there' },
  ],
  run: async (invocation) => {
    const { args, flags, io } = invocation;
    const [words, changes] = splitWords(args, (word) => word.includes('=') || /[^/]-$/.test(word));
    if (flags.bool('list')) return list(invocation, words);
    return patchContainers(invocation, words, 'env', (pods, { type, object }) => {
      const fits = matcher(flags.text('containers'));
      const chosen = (pods.containers ?? []).filter(({ name }) => fits(name));
      if (chosen.length === 0) {
        const what = `${type.kind}/${object.metadata.name}`;
        io.err.write(
          `Warning: ${what} does not have any containers matching ${JSON.stringify(flags.text('containers'))}\n`,
        );
        return undefined;
      }
      const patches = chosen.flatMap((container) => {
        const env = envPatch(container, changes, flags.bool('overwrite'));
        return env.length === 0 ? [] : [{ name: container.name, env }];
      });
      return patches.length === 0 ? undefined : ({ containers: patches } as Containers);
    });
  },
};

function envPatch({ env = [] }: Container, changes: readonly string[], overwrite: boolean): object[] {
  return changes.flatMap<object>((change) => {
    const at = change.indexOf('=');
    const name = at < 0 ? change.slice(0, -1) : change.slice(0, at);
    const present = env.find((each) => each.name === name);
    if (at < 0) return present === undefined ? [] : [{ name, $patch: 'delete' }];
    const value = change.slice(at + 1);
    if (present !== undefined && (present.value === value || !overwrite)) return [];
    return [{ name, value, ...(present !== undefined && 'valueFrom' in present ? { valueFrom: null } : {}) }];
  });
}

function matcher(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const whole = new RegExp(`^${parts.join('.*')}$`);
  return (name) => whole.test(name);
}

async function list({ flags, session, io }: Invocation, words: readonly string[]): Promise<undefined> {
  const selection = await select(session, flags, { args: words, all: flags.bool('all') });
  const errors: unknown[] = [...selection.errors];
  const fits = matcher(flags.text('containers'));
  for await (const { type, object } of found(session, selection, (error) => errors.push(error)))
    for (const { name, env = [] } of podSpecOf(type.kind, object)?.containers ?? []) {
      if (!fits(name)) continue;
      io.out.write(`# ${type.kind} ${object.metadata.name}, container ${name}\n`);
      for (const variable of env)
        if (!('valueFrom' in variable)) io.out.write(`${variable.name}=${variable.value ?? ''}\n`);
    }
  throwAll(errors);
  return undefined;
}
