import type { ObjectRequest, OwnerOfObject, Relations, Relative } from '../protocol/object-messages.ts';
import { ProblemNote } from './problem-note.tsx';
import { useAnswer } from './use-answer.ts';

/** The time between readings, in milliseconds. */
const EVERY_MS = 5_000;

/** Opens an object in the page. */
export type Open = (kind: string, namespace: string, name: string) => void;

export interface ObjectTreeProps {
  readonly where: Fields;
  /** Owners as the object itself names them. They may be gone, or the user may not list them. */
  readonly named: readonly OwnerOfObject[];
  readonly onOpen: Open;
}

type Fields = ObjectRequest & Readonly<Record<string, string>>;

/** The owners of an object, and the objects that it owns, as a tree. */
export function ObjectTree({ where, named, onOpen }: ObjectTreeProps) {
  const { answer, problem } = useAnswer<Relations>('relations', where, EVERY_MS);
  if (answer === undefined)
    return problem === undefined ? (
      <p class="wait">The console looks through all that you may list here.</p>
    ) : (
      <ProblemNote problem={problem} />
    );
  const { owners, self, unread, isCut } = answer;
  const listed = new Set(owners.map(({ kind, name }) => `${kind} ${name}`));
  const others = named.filter(({ kind, name }) => !listed.has(`${kind} ${name}`));
  const whole = owners.reduceRight<Relative>((below, owner) => ({ ...owner, owned: [below] }), self);
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {others.length > 0 && (
        <p>
          It also names as its owner:{' '}
          {others.map(({ id, kind, namespace, name }) =>
            id === undefined ? (
              <span key={name}>
                {kind} {name} (the server does not serve this kind){' '}
              </span>
            ) : (
              <button type="button" key={name} class="link" onClick={() => onOpen(id, namespace, name)}>
                {kind} {name}
              </button>
            ),
          )}
        </p>
      )}
      <ul class="tree" aria-label="Owners and what they own">
        <Branch one={whole} self={self} onOpen={onOpen} />
      </ul>
      {self.owned.length === 0 && <p>It owns nothing that you may list.</p>}
      {isCut && <p class="warning">There is more than the console looks through: not all is shown.</p>}
      {unread.length > 0 && <p class="advice">You may not list these here: {unread.join(', ')}</p>}
    </>
  );
}

interface BranchProps {
  readonly one: Relative;
  readonly self: Relative;
  readonly onOpen: Open;
}

function Branch({ one, self, onOpen }: BranchProps) {
  const { id, kind, namespace, name, isGoing, owned } = one;
  const label = `${kind} ${name}`;
  return (
    <li>
      {one === self ? (
        <strong aria-current="true">{label}</strong>
      ) : (
        <button type="button" class="link" onClick={() => onOpen(id, namespace, name)}>
          {label}
        </button>
      )}
      {isGoing && ' is being deleted'}
      {owned.length > 0 && (
        <ul>
          {owned.map((each) => (
            <Branch key={`${each.id} ${each.name}`} one={each} self={self} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The number of objects that are deleted together with an object. */
export function ownedCount({ owned }: Relative): number {
  return owned.reduce((sum, each) => sum + 1 + ownedCount(each), 0);
}
