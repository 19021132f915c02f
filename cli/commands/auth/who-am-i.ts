import { isForbidden, isNotFound } from '#client/errors.ts';
import { formatJson, parseJson } from '#client/json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { outputFlags, printerFor } from '../../output/printer.ts';
import { TabWriter } from '../../output/tab-writer.ts';

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const whoAmI: Command = {
  name: 'whoami',
  short: 'Experimental: Check self subject attributes',
  long: 'Show how the server identifies you: your user name, your groups and other attributes.',
  examples:
    '# Show my own attributes, and those of another user\n{} auth whoami\n{} auth whoami --as=bob --as-group=team -o yaml',
  flags: outputFlags(),
  run: async ({ flags, session, io }) => {
    const printer = await printerFor(flags);
    const client = await session.client();
    const group = client.naming.group('authentication');
    const body = formatJson({ apiVersion: `${group}/v1`, kind: 'SelfSubjectReview', metadata: {} });
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const answer = await client
      .call({ method: 'POST', path: `/apis/${group}/v1/selfsubjectreviews`, headers, body })
      .catch((error: unknown) => {
        if (isForbidden(error))
          throw new CommandError(
            'the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it',
          );
        if (!isNotFound(error)) throw error;
        throw new CommandError(
          `the selfsubjectreviews API is not enabled in the cluster\nenable APISelfSubjectReview feature gate and ${group}/v1alpha1 or ${group}/v1beta1 API`,
        );
      });
    const review = parseJson(answer.text) as unknown as ApiObject;
    if (printer !== undefined) {
      io.out.write(printer.print(review));
      return undefined;
    }
    const { userInfo = {} } = (review['status'] ?? {}) as { userInfo?: UserInfo };
    const { username = '', uid = '', groups = [], extra = {} } = userInfo;
    const writer = new TabWriter();
    writer.line(['ATTRIBUTE', 'VALUE']);
    if (username !== '') writer.line(['Username', username]);
    if (uid !== '') writer.line(['UID', uid]);
    if (groups.length > 0) writer.line(['Groups', `[${groups.join(' ')}]`]);
    for (const key of Object.keys(extra).sort()) writer.line([`Extra: ${key}`, `[${extra[key]!.join(' ')}]`]);
    io.out.write(writer.flush());
    return undefined;
  },
};
