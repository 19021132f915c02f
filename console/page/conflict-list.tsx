import type { FieldConflict, Way } from '../protocol/object-messages.ts';

/** A user's choices for a field of which other managers want another value. */
const WAYS: readonly [way: Way, text: string][] = [
  ['theirs', 'Take theirs: give the field up'],
  ['mine', 'Force mine: the field is managed by the console'],
  ['share', 'Share it: their value, managed by them and the console'],
];

export interface ConflictListProps {
  readonly conflicts: readonly FieldConflict[];
  readonly ways: Readonly<Record<string, Way>>;
  readonly onChoose: (path: string, way: Way) => void;
}

/** Fields that other managers have changed, or apply, with a choice for each. */
export function ConflictList({ conflicts, ways, onChoose }: ConflictListProps) {
  return (
    <section class="problem" aria-label="Conflicts">
      <h3>
        {conflicts.length === 1
          ? 'Others want one field otherwise'
          : `Others want ${conflicts.length} fields otherwise`}
      </h3>
      <p class="advice">Say for each field what shall be done. Until then nothing is sent.</p>
      {conflicts.map((conflict) => (
        <fieldset key={conflict.path}>
          <legend>
            <code>{conflict.path}</code>
          </legend>
          <p>{whyText(conflict)}</p>
          <dl>
            <dt>As you read it</dt>
            <dd>{conflict.base ?? 'nothing'}</dd>
            <dt>Yours</dt>
            <dd>{conflict.mine ?? 'nothing'}</dd>
            <dt>Theirs</dt>
            <dd>{conflict.theirs ?? 'nothing'}</dd>
          </dl>
          {WAYS.filter(([way]) => way !== 'share' || conflict.theirs !== undefined).map(([way, text]) => (
            <label key={way} class="check">
              <input
                type="radio"
                name={conflict.path}
                value={way}
                checked={Object.hasOwn(ways, conflict.path) && ways[conflict.path] === way}
                onChange={() => onChoose(conflict.path, way)}
              />{' '}
              {text}
            </label>
          ))}
        </fieldset>
      ))}
    </section>
  );
}

function whyText({ why, by }: FieldConflict): string {
  const who = by.map(({ manager, time }) => (time === '' ? manager : `${manager} (${time})`)).join(', ');
  if (why === 'changed') return `It has changed since you read it${who === '' ? '' : `. Managed by ${who}`}.`;
  return `It is applied by ${who}, who would set it back.`;
}
