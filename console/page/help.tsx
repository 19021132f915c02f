import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly [keys: string, does: string][] = [
  ['/', 'goes to the filter'],
  ['g and letters', 'opens the kind that begins so, or has this short name: g p for pods'],
  ['g cp', 'opens the control plane'],
  ['up, down, page keys, Home, End', 'move in the table'],
  ['left, right', 'choose a column in the table, or a tab of an object'],
  ['s', 'sorts by the chosen column; once more turns the order'],
  ['Enter', 'opens the object, or the object that the chosen cell names'],
  ['o', 'opens the owner of the object'],
  ['Ctrl-Space', 'completes a field or a value in the editor; Tab leaves the editor'],
  ['Escape', 'closes the object, a dialog, or this help'],
  ['?', 'shows this help'],
];

/** A dialog that explains the keys. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl>{KEYS.map(([keys, does]) => [<dt key={keys}>{keys}</dt>, <dd key={does}>{does}</dd>])}</dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
