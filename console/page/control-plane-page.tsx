import { useEffect, useState } from 'preact/hooks';
import type { ControlPlane, Problem } from '../protocol/messages.ts';
import { ask, problemOf } from './ask.ts';
import { ProblemNote } from './problem-note.tsx';

/** How often it is read, in milliseconds. */
const EVERY_MS = 2_000;

/** What the replica that answers says of itself. */
export function ControlPlanePage() {
  const [state, setState] = useState<ControlPlane>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout>;
    const read = (): void => {
      ask<ControlPlane>('control-plane')
        .then(
          (answer) => {
            setState(answer);
            setProblem(undefined);
          },
          (error) => setProblem(problemOf(error)),
        )
        .finally(() => {
          if (!isGone) timer = setTimeout(read, EVERY_MS);
        });
    };
    read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  return (
    <section class="control-plane" aria-label="Control plane" tabIndex={0}>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {state === undefined && problem === undefined && <p class="wait">The state of the control plane loads.</p>}
      {state !== undefined && (
        <>
          <h2>Replica that answers</h2>
          <dl>
            <dt>Version</dt>
            <dd>{state.version}</dd>
            {state.figures.map(({ name, value }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} value`}>{value}</dd>,
            ])}
          </dl>
          <h2>Checks</h2>
          <ul class="checks">
            {state.checks.map(({ name, ok }) => (
              <li key={name} class={ok ? 'ok' : 'failed'}>
                {name}: {ok ? 'passed' : 'failed'}
              </li>
            ))}
          </ul>
          <h2>Requests since it started</h2>
          {state.requests === undefined ? <p>You may not read metrics.</p> : <Requests requests={state.requests} />}
        </>
      )}
    </section>
  );
}

function Requests({ requests }: { readonly requests: NonNullable<ControlPlane['requests']> }) {
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Verb</th>
          <th scope="col">Code</th>
          <th scope="col">Requests</th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ verb, code, count }) => (
          <tr key={`${verb} ${code}`}>
            <td>{verb}</td>
            <td>{code}</td>
            <td class="number">{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
