import type { Problem } from '../protocol/messages.ts';

/** Says why something does not work, and what to do next. */
export function ProblemNote({ problem }: { readonly problem: Problem }) {
  const title = problem.code >= 100 ? `${problem.code} ${problem.reason}` : problem.reason;
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{problem.message}</p>
      {problem.causes.length > 0 && (
        <ul>
          {problem.causes.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {problem.advice !== '' && <p class="advice">{problem.advice}</p>}
    </div>
  );
}
