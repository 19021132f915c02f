import { useEffect, useRef, useState } from 'preact/hooks';
import type { CatalogKind, ObjectDetails, Problem, SaveAnswer, VersionOfObject } from '../protocol/messages.ts';
import { ask, problemOf, tell } from './ask.ts';
import { lineDiff } from './line-diff.ts';
import { ProblemNote } from './problem-note.tsx';
import { YamlEditor } from './yaml-editor.tsx';

const TABS = ['YAML', 'Managers', 'Events', 'History'] as const;

export interface ObjectPanelProps {
  readonly kind: CatalogKind;
  readonly namespace: string;
  readonly name: string;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
  readonly onOpen: (kind: string, namespace: string, name: string) => void;
}

/** One object: its YAML, the manager of each field, its events and its earlier versions. */
export function ObjectPanel({ kind, namespace, name, mayWrite, onClose, onOpen }: ObjectPanelProps) {
  const [tab, setTab] = useState<(typeof TABS)[number]>('YAML');
  const [details, setDetails] = useState<ObjectDetails>();
  const [problem, setProblem] = useState<Problem>();
  const where = { kind: kind.id, namespace, name };
  const read = (): void => {
    setProblem(undefined);
    ask<ObjectDetails>('object', where).then(setDetails, (error) => setProblem(problemOf(error)));
  };
  useEffect(() => {
    setDetails(undefined);
    read();
  }, [kind.id, namespace, name]);
  return (
    <aside class="object" aria-label={`${kind.kind} ${name}`}>
      <header>
        <h2>
          {kind.kind} <span class="name">{namespace === '' ? name : `${namespace}/${name}`}</span>
        </h2>
        <button type="button" onClick={read}>
          Read again
        </button>
        {mayWrite && details !== undefined && (
          <Deletion where={where} uid={details.uid} what={`${kind.kind} ${name}`} onDeleted={onClose} />
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {details !== undefined && details.owners.length > 0 && (
        <p class="owners">
          Owned by{' '}
          {details.owners.map(({ kind: owner, name: ownerName, id }) =>
            id === undefined ? (
              <span key={ownerName}>
                {owner} {ownerName}{' '}
              </span>
            ) : (
              <button type="button" key={ownerName} class="link" onClick={() => onOpen(id, namespace, ownerName)}>
                {owner} {ownerName}
              </button>
            ),
          )}
        </p>
      )}
      <div class="tabs" role="tablist">
        {TABS.map((one) => (
          <button
            type="button"
            key={one}
            id={`tab-${one}`}
            role="tab"
            aria-selected={tab === one}
            aria-controls="tab-panel"
            onClick={() => setTab(one)}
          >
            {one}
          </button>
        ))}
      </div>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {details === undefined && problem === undefined && <p class="wait">The object loads.</p>}
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {details !== undefined && tab === 'YAML' && (
          <Editing key={details.resourceVersion} where={where} details={details} mayWrite={mayWrite} onSaved={read} />
        )}
        {details !== undefined && tab === 'Managers' && <Managers details={details} />}
        {details !== undefined && tab === 'Events' && <Events details={details} />}
        {details !== undefined && tab === 'History' && <History where={where} />}
      </div>
    </aside>
  );
}

interface Where extends Readonly<Record<string, string>> {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface DeletionProps {
  readonly where: Where;
  readonly uid: string;
  /** The kind and the name, for the question. */
  readonly what: string;
  readonly onDeleted: () => void;
}

/** Deletes the object that is shown, and no other one of its name, after a question. */
function Deletion({ where, uid, what, onDeleted }: DeletionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<Problem>();
  const remove = (): void => {
    tell('delete', { ...where, uid }).then(onDeleted, (error) => setProblem(problemOf(error)));
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current!.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} aria-label={`Delete ${what}`}>
        <p>Delete {what}? Objects that it owns go with it.</p>
        {problem !== undefined && <ProblemNote problem={problem} />}
        <div class="actions">
          <button type="button" onClick={remove}>
            Yes, delete it
          </button>
          <button type="button" onClick={() => dialog.current!.close()}>
            No
          </button>
        </div>
      </dialog>
    </>
  );
}

interface EditingProps {
  readonly where: Where;
  readonly details: ObjectDetails;
  readonly mayWrite: boolean;
  readonly onSaved: () => void;
}

/**
 * The YAML of an object. With `--write` it can be edited: the page first shows the result of a dry run, then sends the
 * change.
 */
function Editing({ where, details, mayWrite, onSaved }: EditingProps) {
  const [text, setText] = useState(details.yaml);
  const [tried, setTried] = useState<{ readonly text: string; readonly answer: SaveAnswer }>();
  const [problem, setProblem] = useState<Problem>();
  const send = (dryRun: boolean): void => {
    setProblem(undefined);
    tell<SaveAnswer>('save', { ...where, yaml: text, dryRun }).then(
      (answer) => (dryRun ? setTried({ text, answer }) : onSaved()),
      (error) => setProblem(problemOf(error)),
    );
  };
  const isTried = tried?.text === text;
  return (
    <>
      <YamlEditor label="YAML of the object" text={details.yaml} isReadOnly={!mayWrite} onChange={setText} />
      {mayWrite && (
        <div class="actions">
          <button type="button" disabled={text === details.yaml} onClick={() => send(true)}>
            Try
          </button>
          <button type="button" disabled={!isTried} onClick={() => send(false)}>
            Save
          </button>
          {!isTried && <span>The server is asked first what it would make of the change.</span>}
        </div>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
      {isTried && (
        <>
          {tried.answer.warnings.map((warning) => (
            <p key={warning} class="warning">
              {warning}
            </p>
          ))}
          <Diff before={details.yaml} after={tried.answer.yaml} />
        </>
      )}
    </>
  );
}

function Managers({ details }: { readonly details: ObjectDetails }) {
  if (details.managers.length === 0) return <p>No manager is recorded.</p>;
  return (
    <>
      {details.managers.map(({ manager, operation, subresource, time, paths }) => (
        <details key={`${manager} ${operation} ${subresource}`} open={details.managers.length < 4}>
          <summary>
            <strong>{manager}</strong> {operation} {subresource !== '' && `of ${subresource} `}
            <time>{time}</time>, {paths.length} fields
          </summary>
          <ul class="paths">
            {paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function Events({ details }: { readonly details: ObjectDetails }) {
  if (details.events === undefined) return <p>You may not list events here.</p>;
  if (details.events.length === 0) return <p>The server keeps no event of this object.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Last</th>
          <th scope="col">Type</th>
          <th scope="col">Reason</th>
          <th scope="col">Message</th>
          <th scope="col">Times</th>
        </tr>
      </thead>
      <tbody>
        {details.events.map(({ type, reason, message, count, last }) => (
          <tr key={`${last} ${reason} ${message}`}>
            <td>{last}</td>
            <td>{type}</td>
            <td>{reason}</td>
            <td>{message}</td>
            <td>{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function History({ where }: { readonly where: Where }) {
  const [versions, setVersions] = useState<readonly VersionOfObject[]>();
  const [problem, setProblem] = useState<Problem>();
  const [at, setAt] = useState(0);
  const [against, setAgainst] = useState(1);
  useEffect(() => {
    ask<readonly VersionOfObject[]>('versions', where).then(setVersions, (error) => setProblem(problemOf(error)));
  }, []);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (versions === undefined) return <p class="wait">The versions load.</p>;
  const [newer, older] = [versions[at], versions[against]];
  const choice = (label: string, value: number, choose: (value: number) => void) => (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {versions.map(({ resourceVersion, time, by }, place) => (
          <option key={resourceVersion} value={place}>
            {resourceVersion} {time} {by}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="actions">
        {choice('Version', at, setAt)}
        {versions.length > 1 && choice('against', against, setAgainst)}
      </div>
      {older === undefined || newer === undefined ? (
        <p>The server keeps no earlier version.</p>
      ) : (
        <Diff before={older.yaml} after={newer.yaml} />
      )}
    </>
  );
}

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = lineDiff(before, after);
  if (lines.every(({ sign }) => sign === ' ')) return <p>Both are the same.</p>;
  return (
    <pre class="diff" tabIndex={0}>
      {lines.map(({ sign, text }, at) => (
        <span key={`${at} ${text}`} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
          {`${sign} ${text}\n`}
        </span>
      ))}
    </pre>
  );
}
