import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../protocol/messages.ts';
import type { ActionName, Change, ObjectDetails, ObjectRequest, SaveAnswer } from '../protocol/object-messages.ts';
import { post, problemOf } from './ask.ts';
import { labelChanges, readLabels, writeLabels } from './label-text.ts';
import { ProblemNote } from './problem-note.tsx';
import { WouldBe } from './would-be.tsx';

export interface ActionsProps {
  readonly where: ObjectRequest & Readonly<Record<string, string>>;
  readonly details: ObjectDetails;
  /** The kind and the name, for questions. */
  readonly what: string;
  readonly onDone: () => void;
}

const TITLES: Readonly<Record<ActionName, string>> = { scale: 'Scale', restart: 'Restart', label: 'Label' };

/** A button for each change that the kind allows. Its dialog first shows the effect of the change. */
export function Actions(props: ActionsProps) {
  return (
    <>
      {props.details.actions.map((name) => (
        <Action key={name} name={name} {...props} />
      ))}
    </>
  );
}

function Action({ name, where, details, what, onDone }: ActionsProps & { readonly name: ActionName }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [replicas, setReplicas] = useState(details.replicas ?? 1);
  const [labels, setLabels] = useState(writeLabels(details.labels));
  const [tried, setTried] = useState<{ readonly key: string; readonly answer: SaveAnswer }>();
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setSending] = useState(false);
  const title = TITLES[name];
  const read = name === 'label' ? readLabels(labels) : undefined;
  const change = ((): Change => {
    if (name === 'scale') return { name, replicas };
    if (name === 'restart') return { name };
    return { name, labels: labelChanges(details.labels, read?.labels ?? {}) };
  })();
  const key = JSON.stringify(change);
  const isTried = tried?.key === key;
  const send = (dryRun: boolean): void => {
    setProblem(undefined);
    setSending(true);
    post<SaveAnswer>('change', { ...where, change, dryRun })
      .then(
        (answer) => {
          if (dryRun) setTried({ key, answer });
          else {
            dialog.current!.close();
            onDone();
          }
        },
        (error) => setProblem(problemOf(error)),
      )
      .finally(() => setSending(false));
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setReplicas(details.replicas ?? 1);
          setLabels(writeLabels(details.labels));
          setTried(undefined);
          setProblem(undefined);
          dialog.current!.showModal();
        }}
      >
        {title}
      </button>
      <Dialog dialog={dialog} title={`${title} ${what}`}>
        {name === 'scale' && (
          <label>
            Replicas{' '}
            <input
              type="number"
              min={0}
              value={replicas}
              onInput={(event) => setReplicas(Math.max(0, Math.trunc(Number(event.currentTarget.value))))}
            />
          </label>
        )}
        {name === 'restart' && <p>Its pods are replaced one after the other, as its strategy says.</p>}
        {name === 'label' && (
          <label>
            One label in each line, as key=value
            <textarea rows={6} value={labels} onInput={(event) => setLabels(event.currentTarget.value)} />
          </label>
        )}
        {read?.mistake !== undefined && <p class="warning">{read.mistake}</p>}
        {problem !== undefined && <ProblemNote problem={problem} />}
        {isTried && <WouldBe answer={tried.answer} />}
        <div class="actions">
          <button type="button" disabled={isSending || read?.mistake !== undefined} onClick={() => send(true)}>
            Try
          </button>
          <button type="button" disabled={!isTried || isSending} onClick={() => send(false)}>
            {title} it
          </button>
          <button type="button" onClick={() => dialog.current!.close()}>
            Cancel
          </button>
          <span role="status">{isSending ? 'The server is asked.' : ''}</span>
        </div>
      </Dialog>
    </>
  );
}

export interface DialogProps {
  readonly dialog: RefObject<HTMLDialogElement>;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A dialog that Escape closes. */
export function Dialog({ dialog, title, children }: DialogProps) {
  return (
    <dialog ref={dialog} aria-label={title} tabIndex={-1}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
