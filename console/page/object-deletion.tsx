import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../protocol/messages.ts';
import type { ObjectRequest, Relations, Relative } from '../protocol/object-messages.ts';
import { ask, post, problemOf } from './ask.ts';
import { Dialog } from './object-actions.tsx';
import { ownedCount } from './object-tree.tsx';
import { ProblemNote } from './problem-note.tsx';

export interface DeletionProps {
  readonly where: ObjectRequest & Readonly<Record<string, string>>;
  readonly uid: string;
  /** The kind and the name, for the question. */
  readonly what: string;
  readonly onDeleted: () => void;
}

/** The largest number of objects that are named in the question. */
const MOST_NAMED = 20;

/** Deletes the shown object, and no other object of its name, after a question that names the consequences. */
export function Deletion({ where, uid, what, onDeleted }: DeletionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [relations, setRelations] = useState<Relations>();
  const [orphans, setOrphans] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const question = (): void => {
    setProblem(undefined);
    setRelations(undefined);
    dialog.current!.showModal();
    const fail = (error: unknown): void => setProblem(problemOf(error));
    ask<Relations>('relations', where).then(setRelations, fail);
    // A dry run shows a refusal by the server before the user answers the question.
    post('delete', { ...where, uid, dryRun: true }).catch(fail);
  };
  const remove = (): void => {
    setProblem(undefined);
    post('delete', { ...where, uid, orphans }).then(
      () => {
        dialog.current?.close();
        onDeleted();
      },
      (error) => setProblem(problemOf(error)),
    );
  };
  return (
    <>
      <button type="button" onClick={question}>
        Delete
      </button>
      <Dialog dialog={dialog} title={`Delete ${what}`}>
        <p>Delete {what}?</p>
        {relations === undefined
          ? problem === undefined && <p class="wait">The console looks what goes with it.</p>
          : !orphans && <DeletedWithIt relations={relations} />}
        {relations !== undefined && relations.self.owned.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={orphans} onChange={(event) => setOrphans(event.currentTarget.checked)} />{' '}
            Let what it owns stay
          </label>
        )}
        {problem !== undefined && <ProblemNote problem={problem} />}
        <div class="actions">
          <button type="button" onClick={remove}>
            Yes, delete it
          </button>
          <button type="button" onClick={() => dialog.current!.close()}>
            No
          </button>
        </div>
      </Dialog>
    </>
  );
}

function DeletedWithIt({ relations: { self, unread, isCut } }: { readonly relations: Relations }) {
  const count = ownedCount(self);
  const named = flat(self).slice(0, MOST_NAMED);
  return (
    <>
      {count === 0 ? (
        <p>Nothing that you may list goes with it.</p>
      ) : (
        <>
          <p>{count === 1 ? 'This goes with it:' : `These ${count} go with it:`}</p>
          <ul>
            {named.map(({ id, kind, name }) => (
              <li key={`${id} ${name}`}>
                {kind} {name}
              </li>
            ))}
          </ul>
          {count > named.length && <p>and {count - named.length} more</p>}
        </>
      )}
      {(isCut || unread.length > 0) && (
        <p class="warning">There may be more{unread.length > 0 && `: you may not list ${unread.join(', ')} here`}.</p>
      )}
    </>
  );
}

function flat({ owned }: Relative): readonly Relative[] {
  return owned.flatMap((each) => [each, ...flat(each)]);
}
