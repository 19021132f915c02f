import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../../command-line/command.ts';
import { describeTemplate } from '../describe/pod/template.ts';
import { DescriptionWriter } from '../describe/writer.ts';

/** Describes the pods of a revision, in lines. */
export async function templateText({ session }: Invocation, template: PodTemplateSpec): Promise<string> {
  const naming = await session.naming();
  const writer = new DescriptionWriter([naming.key('ctl/last-applied-configuration')], true);
  describeTemplate(writer, template);
  return writer.text();
}
