import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';

/**
 * An example manifest of a kind, as YAML with the names of a naming profile; undefined if there is none. The examples
 * are in a separate module, which is loaded at the first use.
 *
 * @example await exampleOf('v1', 'ConfigMap', createNaming('orch')) // 'apiVersion: v1\nkind: ConfigMap\n…'
 */
export async function exampleOf(apiVersion: string, kind: string, naming: Naming): Promise<string | undefined> {
  const { examplesText } = await import('./generated/examples-text.ts');
  const neutral = createNaming('orch');
  const examples = JSON.parse(examplesText) as Readonly<Record<string, string>>;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const key = `${neutral.apiVersion(naming.shortForm(group), version)} ${kind}`;
  return Object.hasOwn(examples, key) ? naming.translate(examples[key]!) : undefined;
}
