import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError } from '../../framework/errors.ts';
import { nameOf, withoutManaged } from '../../output/printer.ts';
import type { Target } from '../../resources/selection.ts';
import { HEADING, isSame, parsed, send, textFor } from './edit-object.ts';
import { editText, RefusedEdits, UnusableText } from './edit-text.ts';

/** An object to edit. */
export interface Editable {
  readonly target: Target;
  /** The present object on the server. */
  readonly live: ApiObject;
}

/**
 * Lets the user edit objects in one text (a list if there are several) until the server accepts them. Reports the
 * outcome for each object.
 * @throws CommandError if the user cancels the edit, or for a refusal that the user cannot correct in the editor
 */
export async function editObjects(invocation: Invocation, objects: readonly [Editable, ...Editable[]]): Promise<void> {
  const { flags } = invocation;
  const asJson = flags.text('output') === 'json';
  const shown = ({ live }: Editable) => (flags.bool('show-managed-fields') ? live : withoutManaged(live));
  const [first, ...others] = objects;
  const list = { apiVersion: 'v1', items: objects.map(shown), kind: 'List', metadata: {} };
  await editText(invocation, {
    heading: HEADING,
    ...textFor(others.length === 0 ? shown(first) : list, asJson),
    what: whatOf(first),
    take: async (text) => {
      const edited = await objectsIn(text);
      const [only] = edited;
      if (others.length === 0 && edited.length === 1 && isSame(only!, shown(first))) return undefined;
      const pairs = edited.map((object) => ({ object, editable: originalOf(object, objects) }));
      const refusals: { what: string; error: ApiError }[] = [];
      for (const { object, editable } of pairs) {
        const { target } = editable;
        try {
          const before = shown(editable);
          if (isSame(object, before)) tell(invocation, target, object, 'skipped');
          else tell(invocation, target, await send(invocation, target, before, object), 'edited');
        } catch (error) {
          invocation.io.signal.throwIfAborted();
          if (!(error instanceof ApiError)) throw error;
          refusals.push({ what: whatOf(editable), error });
        }
      }
      if (refusals.length > 0) throw new RefusedEdits(refusals);
      return true;
    },
  });
}

function whatOf({ target: { type }, live }: Editable): string {
  return `${inGroup(type.plural, type.group)} ${JSON.stringify(live.metadata.name ?? '')}`;
}

/** The object in the user's text, or the objects of the list in it. @throws UnusableText if the text has no objects */
async function objectsIn(text: string): Promise<readonly ApiObject[]> {
  const whole = (await parsed(text)) as ApiObject & { readonly items?: readonly ApiObject[] | null };
  if (whole.kind !== 'List') return [whole];
  const items = whole.items ?? [];
  for (const item of items)
    if (typeof item !== 'object' || item?.kind === undefined || item.apiVersion === undefined)
      throw new UnusableText('an item of the list has no kind or no apiVersion');
  return items.map((item) => ({ ...item, metadata: item.metadata ?? {} }));
}

/** The edited object with the same uid. @throws CommandError if there is none */
function originalOf({ kind, metadata }: ApiObject, objects: readonly Editable[]): Editable {
  const own = objects.find(({ live }) => live.metadata.uid === metadata.uid);
  if (own === undefined)
    throw new CommandError(
      `no original object found for ${kind} ${JSON.stringify(metadata.name ?? '')}: its uid is new`,
    );
  return own;
}

function tell({ flags, io }: Invocation, { type }: Target, object: ApiObject, became: 'edited' | 'skipped'): void {
  const shown = flags.bool('show-managed-fields') ? object : withoutManaged(object);
  io.out.write(
    flags.has('output') ? textFor(shown, flags.text('output') === 'json').text : `${nameOf(object, type)} ${became}\n`,
  );
}
