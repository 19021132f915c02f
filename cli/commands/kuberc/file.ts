import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { makeFolder } from '#program/files/make-folder.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import type { Io } from '../../framework/io.ts';
import { toYaml } from '../../output/yaml.ts';
import { type PreferencesFile, preferencesFile, textOf } from '../../preferences/load-preferences.ts';
import type { Alias, CommandDefaults, Option } from '../../preferences/preferences.ts';
import { type PreferenceFields, preferenceFields } from '../../preferences/read-preferences.ts';

/**
 * The preferences file that commands show and change.
 * @throws CommandError if preferences are turned off
 */
export function fileToChange(flags: Flags, io: Io): PreferencesFile {
  const file = preferencesFile(flags.text('kuberc'), io);
  if (file !== undefined) return file;
  const variables = namingProfiles.map((profile) => createNaming(profile).preferences.variable);
  const off = variables.find((variable) => io.env[variable] === 'off')!;
  throw new CommandError(`KUBERC is disabled via ${off}=off environment variable`);
}

/**
 * The content of a preferences file, with its version and kind. Undefined if the file does not exist or is empty.
 * @throws CommandError if the file is malformed
 */
export function readFields(file: string): PreferenceFields | undefined {
  try {
    const text = textOf(file);
    if (text === undefined) return undefined;
    const { fields, unknown } = preferenceFields(text, file);
    if (unknown.length > 0) throw new CommandError(`strict decoding error: ${unknown.join(', ')}`);
    return fields;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`error reading kuberc file: ${error.message}`);
  }
}

/**
 * Preferences in the present version, with their fields in order. Their group is the group of the file's content. For a
 * new file, it is the group that its name suggests.
 */
export function asPreference(fields: PreferenceFields, file: string): PreferenceFields {
  const namings = namingProfiles.map(createNaming);
  const written = String(fields['apiVersion'] ?? '');
  const naming =
    namings.find(({ preferences }) => written.startsWith(`${preferences.group}/`)) ??
    namings.find(({ preferences }) => path.basename(file) === preferences.file) ??
    namings[0]!;
  const { defaults, aliases, credentialPluginPolicy, credentialPluginAllowlist } = fields;
  return {
    kind: 'Preference',
    apiVersion: `${naming.preferences.group}/v1beta1`,
    defaults:
      (defaults as CommandDefaults[] | undefined)?.map(({ command, options }) => ({
        command,
        options: options?.map(ordered) ?? null,
      })) ?? null,
    aliases:
      (aliases as Alias[] | undefined)?.map(({ name, command, prependArgs, appendArgs, options }) => ({
        name,
        command,
        prependArgs,
        appendArgs,
        options: options?.map(ordered),
      })) ?? null,
    credentialPluginPolicy,
    credentialPluginAllowlist,
  };
}

function ordered({ name, default: value }: Option): Option {
  return { name, default: value };
}

/**
 * Replaces a preferences file and reports it. Other programs see either the old or the new file.
 * @throws CommandError if the file cannot be written
 */
export function writePreference(fields: PreferenceFields, file: string, io: Io): void {
  const own = `${file}.${process.pid}.new`;
  try {
    makeFolder(path.dirname(file));
    writeFileSync(own, toYaml(asPreference(fields, file)), { mode: 0o644 });
    renameSync(own, file);
  } catch (error) {
    throw new CommandError(`failed to write kuberc file: ${(error as Error).message}`);
  }
  io.out.write(`Updated ${file}\n`);
}
