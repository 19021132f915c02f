import { useState } from 'preact/hooks';
import type { Plotted } from '../protocol/control-plane.ts';
import { DataTable } from './data-table.tsx';
import { clockText } from './figures.ts';
import { HEIGHT, pathsOf, WIDTH } from './line-path.ts';

export interface PlotProps {
  readonly title: string;
  readonly plotted: Plotted;
  /** A value as a text, with its unit. */
  readonly text: (value: number) => string;
}

/** Lines over time, and a table with the same numbers. */
export function Plot({ title, plotted: { times, lines }, text }: PlotProps) {
  const [isOpen, setOpen] = useState(false);
  const values = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const most = Math.max(0, ...values);
  const valueText = (value: number | null | undefined): string => (value == null ? '' : text(value));
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      {values.length === 0 ? (
        <p class="quiet">Two readings make a line: the first comes in a few seconds.</p>
      ) : (
        <>
          <div class="most" aria-hidden="true">
            {text(most)}
          </div>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <line class="ground" x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
            {lines.map((line, at) =>
              pathsOf(times, line.values, most).map((points) => (
                <polyline key={points} class={`line line-${at % 6}`} points={points} />
              )),
            )}
          </svg>
          <div class="axis" aria-hidden="true">
            <span>{clockText(times[0]!)}</span>
            <span>{clockText(times.at(-1)!)}</span>
          </div>
          <ul class="legend">
            {lines.map(({ name, values }, at) => (
              <li key={name}>
                <svg class="swatch" viewBox="0 0 24 4" aria-hidden="true">
                  <line class={`line line-${at % 6}`} x1="0" x2="24" y1="2" y2="2" />
                </svg>
                {name}: {valueText(values.findLast((value) => value !== null)) || 'nothing'}
              </li>
            ))}
          </ul>
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Numbers: {title}</summary>
            {isOpen && (
              <DataTable
                label={title}
                columns={[{ name: 'Time' }, ...lines.map(({ name }) => ({ name, isNumber: true }))]}
                rows={times.map((at, row) => [clockText(at), ...lines.map(({ values }) => valueText(values[row]))])}
                none=""
              />
            )}
          </details>
        </>
      )}
    </figure>
  );
}
