import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';

/**
 * A manifest of a kind to copy, as YAML in the words of a naming profile; undefined where there is none. They are in a
 * module of their own, which is read when one is wanted.
 */
export async function exampleOf(apiVersion: string, kind: string, naming: Naming): Promise<string | undefined> {
  const { examplesText } = await import('./generated/examples-text.ts');
  const neutral = createNaming('orch');
  const examples = JSON.parse(examplesText) as Readonly<Record<string, string>>;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const key = `${neutral.apiVersion(naming.shortForm(group), version)} ${kind}`;
  return Object.hasOwn(examples, key) ? naming.translate(examples[key]!) : undefined;
}
