import { append } from '#base/collections/append.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { defaultText, spellFlag } from './parse-flag-table.ts';

/** The flags of a program by section. */
export type FlagSections = Readonly<Record<string, readonly FlagDefinition[]>>;

/** The text of `--help`: a description of the program, then all flags by section. */
export function flagHelp(program: string, about: string, sections: FlagSections, naming: Naming): string {
  const lines = [about, '', 'Usage:', `  ${program} [flags]`];
  for (const [section, flags] of Object.entries(sections)) {
    lines.push('', `${section} flags:`, '');
    for (const flag of [...flags].sort((a, b) => (a.name < b.name ? -1 : 1))) append(lines, flagLines(flag, naming));
  }
  lines.push('', 'Flags marked with * are known, but may only be given with their default for now.', '');
  return lines.join('\n');
}

function flagLines(flag: FlagDefinition, naming: Naming): string[] {
  const normal = defaultText(flag, naming);
  const head =
    `${flag.built ? '  ' : ' *'}  --${spellFlag(flag.name, naming)} ${flag.type === 'bool' ? '' : flag.type}`.trimEnd();
  const details = [
    flag.about ?? '',
    normal === undefined ? '' : `(default ${normal})`,
    flag.deprecated ? '(deprecated)' : '',
  ].filter((part) => part !== '');
  return details.length === 0 ? [head] : [head, `          ${details.join(' ')}`];
}
