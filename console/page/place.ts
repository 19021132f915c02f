import { useEffect, useRef, useState } from 'preact/hooks';
import type { Unsaved } from './unsaved.tsx';

/** The place of the page: a deep link, which works in any tab of the same console. */
export interface Place {
  readonly view: 'table' | 'control-plane';
  readonly kind: string;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly filter: string;
  readonly labels: string;
  readonly fields: string;
  /** The object that is open beside the table: `namespace/name`, or '' if none is open. */
  readonly object: string;
  /** The tab of the object; '' for the first one. */
  readonly tab: string;
  /** The column by which the table is sorted, with `-` before it for the descending order; '' for the names. */
  readonly sort: string;
  /** 'yes' if the table shows all columns. */
  readonly wide: string;
}

/** The change of the place that closes the open object. */
export const CLOSED: Partial<Place> = { object: '', tab: '' };

/** The parts of the place that are reset when the page shows another kind. */
export const ELSEWHERE: Partial<Place> = { ...CLOSED, view: 'table', filter: '', labels: '', fields: '', sort: '' };

/** @example readPlace('#/table?kind=pods.v1.&namespace=default') */
export function readPlace(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const found = new URLSearchParams(search);
  const text = (name: keyof Place): string => found.get(name) ?? '';
  return {
    view: path === 'control-plane' ? 'control-plane' : 'table',
    kind: text('kind'),
    namespace: text('namespace'),
    filter: text('filter'),
    labels: text('labels'),
    fields: text('fields'),
    object: text('object'),
    tab: text('tab'),
    sort: text('sort'),
    wide: text('wide'),
  };
}

export function writePlace({ view, ...fields }: Place): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  const search = new URLSearchParams(filled).toString();
  return `#/${view}${search === '' ? '' : `?${search}`}`;
}

/** Whether both places show the same object, or none. */
function showsSameObject(a: Place, b: Place): boolean {
  return a.view === b.view && a.kind === b.kind && a.object === b.object;
}

/**
 * Whether a change is a step of its own, to which the browser's button for going back returns. Each letter of a filter
 * is none, and neither is the choice of the first kind.
 */
function isStep(a: Place, b: Place): boolean {
  if (a.view !== b.view || a.object !== b.object) return true;
  return a.kind !== '' && (a.kind !== b.kind || a.namespace !== b.namespace);
}

/** The place of the page, and a function that changes it. A change that closes the editor asks about its edit first. */
export function usePlace(unsaved: Unsaved): readonly [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(() => readPlace(location.hash));
  const shown = useRef(place);
  const show = (next: Place): void => {
    if (isStep(shown.current, next)) location.hash = writePlace(next);
    else history.replaceState(undefined, '', writePlace(next));
    shown.current = next;
    // The event about the address arrives later. Without this call, a field that shows a part of the place would lose
    // typed characters.
    setPlace(next);
  };
  useEffect(() => {
    const follow = (): void => {
      const next = readPlace(location.hash);
      if (unsaved.isEdited() && !showsSameObject(shown.current, next)) {
        // The address has changed already, as by the browser's own button: it stays what is shown until the answer.
        history.pushState(undefined, '', writePlace(shown.current));
        unsaved.leave(() => show(next));
        return;
      }
      shown.current = next;
      setPlace(next);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const go = (change: Partial<Place>): void => {
    const next = { ...shown.current, ...change };
    if (showsSameObject(shown.current, next)) show(next);
    else unsaved.leave(() => show(next));
  };
  return [place, go];
}
