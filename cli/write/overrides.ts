import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { isObject } from '#base/json/json-value.ts';
import { parseExactly } from '#base/json/parse-exactly.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { applyPatch } from '#schema/patch/apply-patch.ts';
import { InapplicablePatch } from '#schema/patch/patch-errors.ts';
import { CommandError } from '../framework/errors.ts';
import type { Flag, Flags } from '../framework/flag.ts';
import { asTyped } from '../typed/typed-object.ts';

/** The flags `--overrides` and `--override-type`. */
export const overrideFlags: readonly Flag[] = [
  {
    name: 'override-type',
    type: 'string',
    default: 'merge',
    help: 'Type of the patch in --overrides: json, merge or strategic',
  },
  { name: 'overrides', type: 'string', help: 'Patch in JSON format to apply to the object before it is created' },
];

const TYPES = ['json', 'merge', 'strategic'] as const;

/** The object after the changes of `--overrides`. @throws CommandError if these are malformed */
export function overriddenObject(object: ApiObject, declared: MessageType, flags: Flags): ApiObject {
  const text = flags.text('overrides');
  if (text === '') return object;
  const type = TYPES.find((one) => one === flags.text('override-type'));
  if (type === undefined) throw new CommandError(`invalid override type: ${flags.text('override-type')}`);
  const patch = parsed(text, type);
  let changed: JsonObject;
  try {
    changed = applyPatch(type, declared, asJson(object), patch);
  } catch (error) {
    const failed = error instanceof InapplicablePatch ? failedTest(patch) : undefined;
    throw new CommandError(failed ?? (error instanceof Error ? error.message : String(error)));
  }
  const kind = changed['kind'];
  if (kind !== declared.shortName)
    throw new CommandError(
      `no kind "${String(kind)}" is registered for version "${String(changed['apiVersion'])}" in scheme "pkg/scheme/scheme.go:28"`,
    );
  return asTyped(asObject(changed), declared);
}

function parsed(text: string, type: (typeof TYPES)[number]): JsonValue {
  try {
    const value = parseExactly(text).value;
    if (type === 'json' || isObject(value)) return value;
  } catch (error) {
    if (type === 'json') throw new CommandError(error instanceof Error ? error.message : String(error));
  }
  throw new CommandError(type === 'merge' ? 'Invalid JSON Patch' : 'invalid JSON document');
}

/** The message about the first test of a JSON patch. Tests fail most often. */
function failedTest(patch: JsonValue): string | undefined {
  const test = Array.isArray(patch) ? patch.find((one) => isObject(one) && one['op'] === 'test') : undefined;
  return isObject(test) ? `testing value ${String(test['path'])} failed: test failed` : undefined;
}
