import { useRef } from 'preact/hooks';

export interface TabsProps<Name extends string> {
  readonly names: readonly Name[];
  readonly current: Name;
  readonly label: string;
  readonly onChoose: (name: Name) => void;
}

/** A row of tabs. Arrow keys choose the next tab. The panel has the id `tab-panel`. */
export function Tabs<Name extends string>({ names, current, label, onChoose }: TabsProps<Name>) {
  const row = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    const steps = new Map([
      ['ArrowRight', 1],
      ['ArrowLeft', -1],
    ]);
    const step = steps.get(event.key);
    if (step === undefined) return;
    const next = names[(names.indexOf(current) + step + names.length) % names.length]!;
    onChoose(next);
    row.current!.querySelector<HTMLElement>(`[id="tab-${next}"]`)?.focus();
    event.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={press}>
      {names.map((name) => (
        <button
          type="button"
          key={name}
          id={`tab-${name}`}
          role="tab"
          aria-selected={current === name}
          aria-controls="tab-panel"
          tabIndex={current === name ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
