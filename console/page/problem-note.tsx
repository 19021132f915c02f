import type { Problem } from '../protocol/messages.ts';
import { WhyNot } from './why-not.tsx';

/** Shows why an action failed, which rule refused it, and the next step. */
export function ProblemNote({ problem }: { readonly problem: Problem }) {
  const title = problem.code >= 100 ? `${problem.code} ${problem.reason}` : problem.reason;
  // A cause without a field repeats the message.
  const causes = problem.causes.filter(({ field }) => field !== '');
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{problem.message}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {problem.rule !== undefined && <WhyNot rule={problem.rule} />}
      {problem.advice !== '' && <p class="advice">{problem.advice}</p>}
    </div>
  );
}
