import type { FieldSchemas } from './field-schema.ts';
import type { CursorPlace } from './yaml-path.ts';

export interface FieldWordsProps {
  readonly schemas: FieldSchemas | undefined;
  /** Whether the schemas have loaded. */
  readonly isLoaded: boolean;
  readonly place: CursorPlace | undefined;
}

/** The server's description of the field at the cursor: its text, its default, its values and bounds. */
export function FieldWordsPanel({ schemas, isLoaded, place }: FieldWordsProps) {
  if (!isLoaded) return <p class="wait">The words of the fields load.</p>;
  if (schemas === undefined) return <p class="advice">The server publishes no description of this kind.</p>;
  const path = place?.path ?? [];
  const words = schemas.wordsOf(path);
  return (
    <section class="words" aria-label="The field at the cursor">
      <h3>
        {words?.name ?? String(path.at(-1) ?? '')}
        {words !== undefined && <span class="type"> {words.type}</span>}
        {words?.isRequired === true && <span class="required"> required</span>}
      </h3>
      {words === undefined ? (
        <p>The server publishes nothing about this field.</p>
      ) : (
        <>
          <p>{words.description === '' ? 'The server has no words for this field.' : words.description}</p>
          {words.facts.length > 0 && (
            <dl>
              {words.facts.map(({ name, text }) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{text}</dd>])}
            </dl>
          )}
        </>
      )}
    </section>
  );
}
