import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../protocol/messages.ts';
import type { KindSchema, ObjectDetails, ObjectRequest, SaveAnswer, Way } from '../protocol/object-messages.ts';
import { ask, post, problemOf } from './ask.ts';
import { ConflictList } from './conflict-list.tsx';
import { FieldSchemas } from './field-schema.ts';
import { FieldWordsPanel } from './field-words.tsx';
import { ManagerKey } from './object-managers.tsx';
import { ProblemNote } from './problem-note.tsx';
import { WouldBe } from './would-be.tsx';
import { type EditorHandle, type FoundInText, YamlEditor } from './yaml-editor.tsx';
import type { CursorPlace } from './yaml-path.ts';

export interface EditingProps {
  readonly where: ObjectRequest & Readonly<Record<string, string>>;
  readonly details: ObjectDetails;
  readonly mayWrite: boolean;
  /** Called when the text becomes another one than the object's, and when it is the object's again. */
  readonly onEdited: (isEdited: boolean) => void;
  readonly onSaved: () => void;
}

const NO_CAUSES: Problem['causes'] = [];

/**
 * The YAML of an object, with the server's description of the field at the cursor. With `--write` it can be edited: the
 * page first shows the result of a dry run, then sends the change.
 */
export function Editing({ where, details, mayWrite, onEdited, onSaved }: EditingProps) {
  const editor = useRef<EditorHandle>(null);
  const [text, setText] = useState(details.yaml);
  const [tried, setTried] = useState<{ readonly key: string; readonly answer: SaveAnswer }>();
  const [ways, setWays] = useState<Readonly<Record<string, Way>>>({});
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setSending] = useState(false);
  const [place, setPlace] = useState<CursorPlace>();
  const [findings, setFindings] = useState<readonly FoundInText[]>([]);
  const { schemas, isLoaded } = useSchemas(where.kind);
  const key = JSON.stringify([text, ways]);
  const isTried = tried?.key === key && tried.answer.conflicts.every(({ path }) => Object.hasOwn(ways, path));
  const conflicts = tried?.answer.conflicts ?? [];
  const isEdited = text !== details.yaml;
  useEffect(() => {
    onEdited(isEdited);
    return () => onEdited(false);
  }, [isEdited]);
  const send = (dryRun: boolean): void => {
    setProblem(undefined);
    setSending(true);
    post<SaveAnswer>('save', { ...where, yaml: text, base: details.yaml, dryRun, ways })
      .then(
        (answer) => {
          const isOpen = answer.conflicts.some(({ path }) => !Object.hasOwn(ways, path));
          if (dryRun || isOpen) setTried({ key, answer });
          else onSaved();
        },
        (error) => setProblem(problemOf(error)),
      )
      .finally(() => setSending(false));
  };
  const change = (next: string): void => {
    setText(next);
    setProblem(undefined);
  };
  return (
    <>
      <ManagerKey managers={details.managers} />
      <div class="editing">
        <YamlEditor
          label="YAML of the object"
          text={details.yaml}
          isReadOnly={!mayWrite}
          schemas={schemas}
          managers={details.managers}
          remarks={problem?.causes ?? NO_CAUSES}
          handle={editor}
          onChange={change}
          onCursor={setPlace}
          onFindings={setFindings}
        />
        <FieldWordsPanel schemas={schemas} isLoaded={isLoaded} place={place} />
      </div>
      {findings.length > 0 && (
        <ul class="findings" aria-label="What is wrong in the text">
          {findings.map(({ from, line, message }) => (
            <li key={`${from} ${message}`}>
              <button type="button" class="link" onClick={() => editor.current!.goTo(from)}>
                Line {line}
              </button>{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <div class="actions">
          <button type="button" disabled={!isEdited || isSending} onClick={() => send(true)}>
            Try
          </button>
          <button type="button" disabled={!isTried || isSending} onClick={() => send(false)}>
            Save
          </button>
          <span role="status">
            {isSending
              ? 'The server is asked.'
              : isTried
                ? 'Below is what the server would make of it.'
                : 'The server is asked first what it would make of the change.'}
          </span>
        </div>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
      {conflicts.length > 0 && (
        <ConflictList
          conflicts={conflicts}
          ways={ways}
          onChoose={(path, way) => setWays((before) => ({ ...before, [path]: way }))}
        />
      )}
      {isTried && <WouldBe answer={tried.answer} />}
    </>
  );
}

/** The published schemas of a kind. */
function useSchemas(kind: string): { readonly schemas: FieldSchemas | undefined; readonly isLoaded: boolean } {
  const [known, setKnown] = useState<{ readonly schemas: FieldSchemas | undefined }>();
  useEffect(() => {
    let isGone = false;
    const take = (schema: Partial<KindSchema>): void => {
      if (isGone) return;
      setKnown({ schemas: schema.root === undefined ? undefined : new FieldSchemas(schema as KindSchema) });
    };
    // Without a schema, the page can still show the object.
    ask<Partial<KindSchema>>('schema', { kind }).then(take, () => take({}));
    return () => {
      isGone = true;
    };
  }, [kind]);
  return { schemas: known?.schemas, isLoaded: known !== undefined };
}
