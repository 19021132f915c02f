import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly [keys: string, does: string][] = [
  ['/', 'goes to the filter'],
  ['g and letters', 'opens the kind that begins so, or has this short name: g p for pods'],
  ['g cp', 'opens the control plane'],
  ['arrows, page keys, Home, End', 'move in the table'],
  ['Enter', 'opens the object'],
  ['o', 'opens the owner of the object'],
  ['left, right', 'move between the tabs of an object'],
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
