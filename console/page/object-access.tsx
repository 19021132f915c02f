import type { AccessToObject, ObjectRequest } from '../protocol/object-messages.ts';
import { ProblemNote } from './problem-note.tsx';
import { useAnswer } from './use-answer.ts';

/** The subjects that may act on an object, with their bindings. */
export function ObjectAccess({ where }: { readonly where: ObjectRequest & Readonly<Record<string, string>> }) {
  const { answer, problem } = useAnswer<AccessToObject>('who-can', where);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (answer === undefined) return <p class="wait">The console reads roles and bindings.</p>;
  return (
    <>
      {answer.unread.length > 0 && (
        <p class="warning">
          You may not read {answer.unread.join(', ')} here. There may be more who have these rights.
        </p>
      )}
      {answer.verbs.map(({ verb, you, grants, more }) => (
        <section key={verb}>
          <h3>Who can {verb} it</h3>
          {you !== undefined && <p>{you ? 'You can.' : 'You cannot.'}</p>}
          {grants.length === 0 ? (
            <p>No binding that you may read gives this right.</p>
          ) : (
            <div class="scroll" tabIndex={0} role="group" aria-label={`Who can ${verb} it`}>
              <table class="plain">
                <thead>
                  <tr>
                    <th scope="col">Subject</th>
                    <th scope="col">Role</th>
                    <th scope="col">Binding</th>
                  </tr>
                </thead>
                <tbody>
                  {grants.map(({ subject, role, binding }) => (
                    <tr key={`${subject} ${binding}`}>
                      <td>{subject}</td>
                      <td>{role}</td>
                      <td>{binding}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {more > 0 && <p>and {more} more</p>}
        </section>
      ))}
      <p class="advice">This is what roles and bindings say. The server may have other ways of authorization.</p>
    </>
  );
}
