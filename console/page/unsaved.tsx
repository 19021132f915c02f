import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from './object-actions.tsx';

/** Knows whether the editor has a text that is not saved, and asks before the page drops it. */
export interface Unsaved {
  readonly isEdited: () => boolean;
  readonly setEdited: (isEdited: boolean) => void;
  /** Does something that drops the edit: at once if there is none, else when the user agrees. */
  readonly leave: (then: () => void) => void;
}

/** The state of the one editor of the page, and the question that it needs. */
export function useUnsaved() {
  const edited = useRef(false);
  const [then, setThen] = useState<() => void>();
  const [unsaved] = useState<Unsaved>(() => ({
    isEdited: () => edited.current,
    setEdited: (isEdited) => {
      edited.current = isEdited;
    },
    leave: (act) => (edited.current ? setThen(() => act) : act()),
  }));
  useEffect(() => {
    // The browser asks in its own words.
    const warn = (event: BeforeUnloadEvent): void => {
      if (edited.current) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const answer = (isDropped: boolean): void => {
    setThen(undefined);
    if (!isDropped) return;
    edited.current = false;
    then?.();
  };
  return { unsaved, question: then !== undefined && <Question onAnswer={answer} /> };
}

function Question({ onAnswer }: { readonly onAnswer: (isDropped: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current!;
    const stay = (): void => onAnswer(false);
    shown.addEventListener('close', stay);
    shown.showModal();
    return () => {
      shown.removeEventListener('close', stay);
      // Returns the focus to the element that had it before.
      shown.close();
    };
  }, []);
  return (
    <Dialog dialog={dialog} title="Your edit is not saved">
      <p>You have changed the YAML of this object. The change is lost if you go on.</p>
      <div class="actions">
        <button type="button" onClick={() => onAnswer(false)}>
          Keep editing
        </button>
        <button type="button" onClick={() => onAnswer(true)}>
          Drop the edit
        </button>
      </div>
    </Dialog>
  );
}
