import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { Session } from '../connection/session.ts';
import { CommandError } from '../framework/errors.ts';
import type { Target } from '../resources/selection.ts';

/**
 * The message type, which defines how objects of a type merge. Undefined for types that users define, which accept
 * merge patches only.
 */
export async function messageOf(session: Session, { type }: Target): Promise<MessageType | undefined> {
  const naming = await session.naming();
  const group = type.group === '' ? '' : naming.shortGroup(type.group);
  return group === undefined ? undefined : loadSchema(naming).kind(group, type.version, type.kind);
}

/**
 * Checks that a live object does not get another kind. A kind in other letters counts as another kind.
 * @throws CommandError if the kind differs
 */
export function checkKind({ type, object, source }: Target): void {
  if (object!.kind === type.kind) return;
  const [wanted, there] = [object!.kind, type.kind].map((kind) => JSON.stringify(kind));
  throw new CommandError(
    `error when patching ${JSON.stringify(source)}: the kind ${wanted} cannot be put in place of ${there}`,
  );
}
