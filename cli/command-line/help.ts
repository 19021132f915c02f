import type { Flag } from '../framework/flag.ts';
import type { Command, CommandEntry } from './command.ts';

/** The program's name in help and error texts. */
export const PROGRAM = 'orchctl';

/** The headings of the program's help, in their order. */
const groups = [
  'Basic Commands (Beginner)',
  'Basic Commands (Intermediate)',
  'Deploy Commands',
  'Cluster Management Commands',
  'Troubleshooting and Debugging Commands',
  'Advanced Commands',
  'Settings Commands',
  'Other Commands',
] as const;

/** The help of the program. */
export function programHelp(commands: readonly CommandEntry[]): string {
  const blocks = groups.flatMap((group) => {
    const own = commands.filter((entry) => entry.group === group && !entry.hidden);
    return own.length === 0 ? [] : [`${group}:\n${listOf(commands, own)}`];
  });
  return [
    'orchctl controls the cluster control plane.',
    ...blocks,
    `Usage:\n  ${PROGRAM} [flags] [options]`,
    `Use "${PROGRAM} <command> --help" for more information about a given command.\n${OPTIONS}`,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

const OPTIONS = `Use "${PROGRAM} options" for a list of global command-line options (applies to all commands).`;

/** The help of a command or of a group of commands. */
export function commandHelp(command: Command, path: string): string {
  const shown = (text: string) => text.replaceAll('{}', PROGRAM);
  const subcommands = (command.subcommands ?? []).filter(({ hidden }) => !hidden);
  const flags = (command.flags ?? []).filter(({ hidden, deprecated }) => !hidden && deprecated === undefined);
  const group = command.run === undefined;
  const namesFlags = command.usage?.includes('[flags]') === true;
  const usage = [path, command.usage, flags.length > 0 && !group && !namesFlags ? '[flags]' : undefined, '[options]'];
  const paragraphs = [
    `${shown(command.long ?? `${command.short}.`)}`,
    ...(command.aliases === undefined ? [] : [`Aliases:\n${[command.name, ...command.aliases].join(', ')}`]),
    ...(command.examples === undefined ? [] : [`Examples:\n${indented(shown(command.examples))}`]),
    ...(subcommands.length === 0 ? [] : [`Available Commands:\n${listOf(subcommands, subcommands)}`]),
    ...(flags.length === 0 ? [] : [`Options:\n${flagsHelp(flags)}`]),
    `Usage:\n  ${group ? [path, command.usage ?? 'SUBCOMMAND', '[options]'].join(' ') : usage.filter(Boolean).join(' ')}`,
    `${group ? `Use "${path} <command> --help" for more information about a given command.\n` : ''}${OPTIONS}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

/** Flags with their defaults and explanations, in the order of their names. */
export function flagsHelp(flags: readonly Flag[]): string {
  return [...flags]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => {
      const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
      return `${flag.short === undefined ? short : `    ${short}`}--${flag.name}=${defaultOf(flag)}:\n\t${flag.help}`;
    })
    .join('\n\n');
}

function defaultOf({ type, default: value }: Flag): string {
  if (type === 'string') return `'${value ?? ''}'`;
  if (type === 'strings' || type === 'texts' || type === 'map') return '[]';
  if (type === 'pairs') return '';
  return String(value ?? (type === 'bool' ? false : type === 'int' ? 0 : '0s'));
}

/**
 * Pads names to the length of the longest name (or to 11 more), so that lists under several headings are aligned.
 */
function listOf(all: readonly CommandEntry[], shown: readonly CommandEntry[]): string {
  const width = Math.max(11, ...all.map(({ name }) => name.length));
  return shown.map(({ name, short }) => `  ${name.padEnd(width)}   ${short}`).join('\n');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
