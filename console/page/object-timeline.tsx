import type { ObjectDetails, ObjectRequest } from '../protocol/object-messages.ts';
import { ageText } from './age.ts';
import { ProblemNote } from './problem-note.tsx';
import { happeningsOf, placed } from './time-line.ts';
import { useAnswer } from './use-answer.ts';

/** The size of the plot, in its own units. */
const WIDTH = 600;
const ROW = 16;

/** The time between readings, in milliseconds. */
const EVERY_MS = 5_000;

/** The events and conditions of an object over time: a plot, and tables with the same content. */
export function ObjectTimeline({ where }: { readonly where: ObjectRequest & Readonly<Record<string, string>> }) {
  const { answer, problem } = useAnswer<ObjectDetails>('object', where, EVERY_MS);
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {answer !== undefined && <Timeline details={answer} />}
      {answer === undefined && problem === undefined && <p class="wait">The events load.</p>}
    </>
  );
}

function Timeline({ details }: { readonly details: ObjectDetails }) {
  const now = Date.now();
  const { events, conditions } = details;
  const happenings = happeningsOf(events ?? [], conditions, now);
  const marks = placed(happenings, now);
  const rows = 1 + Math.max(0, ...marks.map(({ row }) => row));
  const height = rows * ROW + 4;
  return (
    <>
      {marks.length > 0 && (
        <figure class="time-line">
          <svg
            viewBox={`0 0 ${WIDTH} ${height}`}
            role="img"
            aria-label="Events and conditions over time; the tables below say the same"
          >
            <line x1="0" x2={WIDTH} y1={height - 1} y2={height - 1} class="axis" />
            {marks.map(({ start, end, row, what, isBad, kind }, at) => (
              <rect
                key={`${at} ${what}`}
                x={start * WIDTH}
                y={row * ROW + 2}
                width={(end - start) * WIDTH}
                height={ROW - 6}
                rx="2"
                class={isBad ? 'bad' : kind}
              >
                <title>{what}</title>
              </rect>
            ))}
          </svg>
          <figcaption>
            <span>{ageText(happenings[0]!.from, now)} ago</span>
            <span class="dots">
              <span class="dot event" /> event <span class="dot bad" /> warning <span class="dot condition" /> condition
            </span>
            <span>now</span>
          </figcaption>
        </figure>
      )}
      <h3>Conditions</h3>
      {conditions.length === 0 ? (
        <p>The object has no conditions.</p>
      ) : (
        <Table
          label="Conditions"
          headings={['Type', 'Status', 'Since', 'Why']}
          rows={conditions.map(({ type, status, since, reason, message }) => [
            type,
            status,
            since,
            [reason, message].filter(Boolean).join(': '),
          ])}
        />
      )}
      <h3>Events</h3>
      {events === undefined ? (
        <p>You may not list events here.</p>
      ) : events.length === 0 ? (
        <p>The server keeps no event of this object.</p>
      ) : (
        <Table
          label="Events"
          headings={['Last', 'Type', 'What', 'Times']}
          rows={events.map(({ last, type, reason, message, count }) => [
            last,
            type,
            `${reason}: ${message}`,
            String(count),
          ])}
        />
      )}
    </>
  );
}

interface TableProps {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Table({ label, headings, rows }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={`${at} ${cells.join(' ')}`}>
              {cells.map((cell, column) => (
                <td key={headings[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
