import { useState } from 'preact/hooks';
import type { HistoryOfObject, ObjectRequest, VersionOfObject } from '../protocol/object-messages.ts';
import { Diff } from './diff.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useAnswer } from './use-answer.ts';

/** The versions that the server still keeps, and the difference of any two. */
export function ObjectHistory({ where }: { readonly where: ObjectRequest & Readonly<Record<string, string>> }) {
  const { answer, problem } = useAnswer<HistoryOfObject>('versions', where);
  const [chosen, setChosen] = useState<{ readonly older: number; readonly newer: number }>();
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (answer === undefined) return <p class="wait">The versions load.</p>;
  // The oldest is at the left of the sliders.
  const versions = [...answer.versions].reverse();
  const last = versions.length - 1;
  const { older, newer } = chosen ?? { older: Math.max(0, last - 1), newer: last };
  const [before, after] = [versions[older], versions[newer]];
  if (before === undefined || after === undefined || last === 0) return <p>The server keeps no earlier version.</p>;
  return (
    <>
      <p>
        The server keeps {versions.length} versions{answer.isCut && ', and older ones that are not shown'}.
      </p>
      <div class="sliders">
        <Slider
          label="From version"
          versions={versions}
          value={older}
          onChoose={(at) => setChosen({ older: at, newer })}
        />
        <Slider
          label="To version"
          versions={versions}
          value={newer}
          onChoose={(at) => setChosen({ older, newer: at })}
        />
      </div>
      <Diff before={before.yaml} after={after.yaml} label="Difference of the two versions" />
      <h3>Who changed it</h3>
      <ol class="versions" reversed>
        {[...versions].reverse().map((version, place) => (
          <li key={version.resourceVersion}>
            <button
              type="button"
              class="link"
              onClick={() => setChosen({ older: Math.max(0, last - place - 1), newer: last - place })}
            >
              {textOf(version)}
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

interface SliderProps {
  readonly label: string;
  readonly versions: readonly VersionOfObject[];
  readonly value: number;
  readonly onChoose: (at: number) => void;
}

function Slider({ label, versions, value, onChoose }: SliderProps) {
  const text = textOf(versions[value]!);
  return (
    <label>
      {label}
      <input
        type="range"
        min={0}
        max={versions.length - 1}
        step={1}
        value={value}
        aria-valuetext={text}
        onInput={(event) => onChoose(Number(event.currentTarget.value))}
      />
      <output>{text}</output>
    </label>
  );
}

function textOf({ resourceVersion, time, by }: VersionOfObject): string {
  return [resourceVersion, time, by === '' ? '' : `by ${by}`].filter(Boolean).join(' ');
}
