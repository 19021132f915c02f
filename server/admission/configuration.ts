import { append } from '#base/collections/append.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import {
  admissionConfiguration,
  eventRateLimit,
  podSecurity,
  podTolerationRestriction,
  resourceQuota,
  unversionedPlugins,
  webhookAdmission,
} from '#program/operator-files/kinds.ts';
import type { OperatorKind, ValueOfKind } from '#program/operator-files/operator-kind.ts';
import { type FilePart, readFile } from '#program/operator-files/read-file.ts';
import type { Problem } from '#program/operator-files/validate.ts';

/** The configuration formats of plug-ins. Plug-ins that are not listed have no configuration. */
const KINDS: ReadonlyMap<string, OperatorKind<unknown>> = new Map<string, OperatorKind<unknown>>([
  ['EventRateLimit', eventRateLimit],
  ['ImagePolicyWebhook', unversionedPlugins],
  ['MutatingAdmissionWebhook', webhookAdmission],
  ['PodNodeSelector', unversionedPlugins],
  ['PodSecurity', podSecurity],
  ['PodTolerationRestriction', podTolerationRestriction],
  ['ResourceQuota', resourceQuota],
  ['ValidatingAdmissionWebhook', webhookAdmission],
]);

/** The plug-ins whose settings may be the whole file, by the field of the settings. */
const UNVERSIONED = [
  ['imagePolicy', 'ImagePolicyWebhook'],
  ['podNodeSelectorPluginConfig', 'PodNodeSelector'],
] as const;

/**
 * Reads an AdmissionConfiguration. For each plug-in it has an inline `configuration`, or the `path` of a file with the
 * configuration, relative to the file itself. The file may instead contain the settings of plug-ins that have no kind
 * for their settings.
 *
 * @param known the names of all plug-ins
 * @throws ConfigError with a line for each mistake in the file and in the files that it names
 */
export function readAdmissionConfiguration(
  file: string,
  naming: Naming,
  known: ReadonlySet<string>,
): ReadonlyMap<string, FilePart> {
  const whole = readFile(file, 'admission-control-config-file');
  if (isUnversioned(whole.value)) {
    const settings = whole.as(unversionedPlugins, naming);
    return new Map(UNVERSIONED.flatMap(([field, name]) => (settings[field] ? [[name, whole]] : [])));
  }
  const problems = [...whole.problems(admissionConfiguration, naming)];
  const found = new Map<string, FilePart>();
  const named = new Set<string>();
  const elsewhere: string[] = [];
  for (const [i, { name, path, configuration }] of usableEntries(whole.value, problems)) {
    const at = ['plugins', i];
    if (!known.has(name))
      problems.push({ path: [...at, 'name'], what: `is ${JSON.stringify(name)}, which is no plug-in` });
    else if (named.has(name)) problems.push({ path: [...at, 'name'], what: `names ${name} twice` });
    named.add(name);
    const kind = KINDS.get(name);
    if (configuration !== undefined && configuration !== null) {
      const part = whole.part([...at, 'configuration'], configuration);
      found.set(name, part);
      if (kind === undefined) continue;
      for (const problem of part.problems(kind, naming))
        problems.push({ ...problem, path: [...at, 'configuration', ...problem.path] });
    } else if (path) {
      try {
        const other = readFile(whole.resolve(path));
        found.set(name, other);
        if (kind !== undefined) append(elsewhere, other.messages(other.problems(kind, naming)));
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        elsewhere.push(error.message);
      }
    }
  }
  const messages = [...whole.messages(problems), ...elsewhere];
  if (messages.length > 0) throw new ConfigError(messages.join('\n'));
  return found;
}

type Entry = NonNullable<ValueOfKind<typeof admissionConfiguration>['plugins']>[number];

/** The entries of plug-ins that can be checked further, even if other entries are wrong. */
function usableEntries(value: unknown, problems: readonly Problem[]): [index: number, entry: Entry][] {
  const { plugins } = (value ?? {}) as { plugins?: unknown };
  const isOtherFile = problems.some(({ path }) => path[0] === 'kind' || path[0] === 'apiVersion');
  if (!Array.isArray(plugins) || isOtherFile) return [];
  const wrong = new Set(problems.filter(({ isUnknown }) => isUnknown !== true).map(({ path }) => path[1]));
  return [...(plugins as Entry[]).entries()].filter(([i]) => !wrong.has(i));
}

/** Whether a file contains the settings of plug-ins directly, as in an old format. */
function isUnversioned(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const has = (field: string) => Object.hasOwn(value, field);
  return !has('kind') && !has('apiVersion') && UNVERSIONED.some(([field]) => has(field));
}
