import { type DiffLine, lineDiff } from './line-diff.ts';

/** Lines that are shown before and after one that differs. */
const AROUND = 3;

/** The difference of two texts, with a few lines around each place. */
export function Diff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const lines = lineDiff(before, after);
  if (lines.every(({ sign }) => sign === ' ')) return <p>Both are the same.</p>;
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label={label}>
      {shortened(lines).map((line, at) =>
        line === undefined ? (
          <span key={`gap ${at}`} class="gap">
            {'  ⋯\n'}
          </span>
        ) : (
          <span key={`${at} ${line.text}`} class={line.sign === '+' ? 'added' : line.sign === '-' ? 'removed' : ''}>
            {`${line.sign} ${line.text}\n`}
          </span>
        ),
      )}
    </pre>
  );
}

/** The lines near a change; an `undefined` stands for a gap of omitted lines. */
function shortened(lines: readonly DiffLine[]): readonly (DiffLine | undefined)[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ sign }, at) => {
    if (sign !== ' ') isNear.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  return lines.flatMap((line, at) => {
    if (isNear[at] === 1) return [line];
    return at > 0 && isNear[at - 1] === 1 ? [undefined] : [];
  });
}
