import { useEffect, useRef } from 'preact/hooks';

/** The actions of keys while the focus is not in a field. */
export interface Actions {
  readonly filter: () => void;
  readonly help: () => void;
  readonly close: () => void;
  /** `g` and letters: the first letters or the short name of a kind. */
  readonly goTo: (letters: string) => void;
}

/** The longest pause between the letters after `g`, in milliseconds. */
const LETTERS_MS = 700;

export function useKeys(actions: Actions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let letters: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arrive = (): void => {
      const typed = letters ?? '';
      letters = undefined;
      if (typed !== '') latest.current.goTo(typed);
    };
    const press = (event: KeyboardEvent): void => {
      const { key } = event;
      if (key === 'Escape') {
        // Dialogs and the editor handle this key themselves.
        if (document.querySelector('dialog[open]') !== null || isEditor(event.target)) return;
        latest.current.close();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      if (letters !== undefined) {
        if (!/^[a-z]$/.test(key)) return;
        // The table has keys of its own, which are no letters of a kind.
        event.stopPropagation();
        letters += key;
        clearTimeout(timer);
        timer = setTimeout(arrive, LETTERS_MS);
      } else if (key === 'g') {
        letters = '';
        timer = setTimeout(arrive, LETTERS_MS);
      } else if (key === '/') latest.current.filter();
      else if (key === '?') latest.current.help();
      else return;
      event.preventDefault();
    };
    // before the element that has the focus
    addEventListener('keydown', press, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', press, true);
    };
  }, []);
}

function isEditor(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.isContentEditable;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
