import { readFileSync } from 'node:fs';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseExactly } from '#base/json/parse-exactly.ts';
import type { PatchType } from '#client/changes.ts';
import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { applyPatch } from '#schema/patch/apply-patch.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, together } from '../../framework/errors.ts';
import { fileWords } from '../../framework/file-words.ts';
import { parseYamlDocuments } from '../../manifests/parse-yaml.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fieldManagerFlag, fileFlags } from '../../resources/flags.ts';
import { select } from '../../resources/selection.ts';
import { recordAfterwards, recordFlag } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { messageOf } from '../../write/shape.ts';
import { writeOptions } from '../../write/write-options.ts';

const TYPES: readonly PatchType[] = ['json', 'merge', 'strategic'];

export const patch: Command = {
  name: 'patch',
  short: 'Update fields of a resource',
  long: 'Update fields of a resource using strategic merge patch, a JSON merge patch, or a JSON patch.\n\n Types that users define take no strategic merge patches. JSON and YAML formats are accepted.',
  examples: [
    '# Change one field',
    '{} patch node n1 -p \'{"spec":{"unschedulable":true}}\'',
    '',
    '# Change the image of the first container, by its position',
    '{} patch pod web --type=json -p=\'[{"op": "replace", "path": "/spec/containers/0/image", "value":"new"}]\'',
    '',
    '# Change the number of replicas through the scale subresource',
    '{} patch deployment web --subresource=scale --type=merge -p \'{"spec":{"replicas":2}}\'',
  ].join('\n'),
  usage: '(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]',
  flags: [
    dryRunFlag,
    fieldManagerFlag('orchctl-patch'),
    ...fileFlags,
    { name: 'local', type: 'bool', help: 'Patch the content of the file, without a server' },
    ...outputFlags(),
    recordFlag,
    { name: 'patch', short: 'p', type: 'string', help: 'The patch, as JSON or YAML' },
    { name: 'patch-file', type: 'string', help: 'File that contains the patch' },
    { name: 'subresource', type: 'string', help: 'Subresource to patch, such as status or scale' },
    { name: 'type', type: 'string', default: 'strategic', help: 'Type of the patch: json, merge or strategic' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const body = patchOf(invocation);
  const type = (flags.text('type').toLowerCase() || 'strategic') as PatchType;
  if (!TYPES.includes(type))
    throw new CommandError(`--type must be one of [${TYPES.join(' ')}], not ${JSON.stringify(type)}`);
  const local = flags.bool('local');
  const dryRun = local ? 'client' : dryRunOf(invocation);
  if (local && args.length > 0) throw new CommandError('cannot specify --local and server resources');
  // The answer does not show whether the server stored anything.
  const report = await reporter(invocation, 'none');
  const subresource = flags.text('subresource') || undefined;
  const selection = await select(session, flags, { args, asWritten: local });
  const errors: unknown[] = [];
  for (const target of selection.targets) {
    try {
      const resource = (await session.client()).resource(target.type).in(target.namespace);
      // With a file, the object in the file is used as the live object.
      const before = target.object ?? (await resource.get(target.name ?? '', { subresource }));
      let after: ApiObject;
      let changed: boolean;
      if (dryRun === 'client') {
        after = await patchedHere(invocation, type, target, before, body);
        changed = !jsonEqual(before, after);
      } else {
        const options = await writeOptions(invocation, '-patch', dryRun);
        after = await resource.patch(target.name ?? '', type, body, { ...options, subresource });
        changed = !jsonEqual(before, after);
        after = await recordAfterwards(invocation, { type: target.type, object: after }, '-patch', dryRun);
      }
      report(after, subresource === undefined ? target.type : undefined, changed ? 'patched' : 'patched (no change)');
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll([...errors, ...together(selection.errors)]);
  return undefined;
}

/** @throws CommandError if there is no patch or it is malformed */
function patchOf({ flags }: Invocation): JsonValue {
  const [text, file] = [flags.text('patch'), flags.text('patch-file')];
  if (text !== '' && file !== '') throw new CommandError('cannot specify --patch and --patch-file together');
  if (text === '' && file === '')
    throw new CommandError('must specify --patch or --patch-file containing the contents of the patch');
  let content = text;
  try {
    if (file !== '') content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`unable to read patch file: ${fileWords(error, file)}`);
  }
  // A text that begins like JSON is parsed as JSON, and its errors have the words of a server.
  if (/^\s*\{/.test(content)) return jsonOf(content, flags.text('type'));
  try {
    const [value] = parseYamlDocuments(content, 'patch');
    return (value ?? null) as JsonValue;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const what = error.message.replace('error parsing patch: error converting YAML to JSON: ', '');
    throw new CommandError(`unable to parse ${JSON.stringify(text)}: ${what}`);
  }
}

/** @throws ApiError if the text is malformed */
function jsonOf(text: string, type: string): JsonValue {
  try {
    return parseExactly(text).value;
  } catch (error) {
    if (!(error instanceof MalformedBodyError)) throw error;
    const message = `${type === 'strategic' ? '' : 'error decoding patch: '}${error.message}`;
    throw new ApiError(400, { kind: 'Status', code: 400, reason: 'BadRequest', message });
  }
}

async function patchedHere(
  { session }: Invocation,
  type: PatchType,
  target: Parameters<typeof messageOf>[1],
  before: ApiObject,
  body: JsonValue,
): Promise<ApiObject> {
  const message = type === 'strategic' ? await messageOf(session, target) : undefined;
  return asObject(applyPatch(type, message, asJson(before), body));
}
