import type { WatchedProcess } from '../protocol/control-plane.ts';
import { ageText } from './age.ts';
import { DataTable } from './data-table.tsx';
import { bytesText, secondsText, shortText } from './figures.ts';

export interface ProcessesProps {
  readonly label: string;
  readonly processes: readonly WatchedProcess[];
  readonly now: number;
}

/** Processes of the control plane, their checks, and the resources that they use. */
export function Processes({ label, processes, now }: ProcessesProps) {
  return (
    <>
      <DataTable
        label={label}
        columns={[
          { name: 'Address' },
          { name: 'State' },
          { name: 'Version' },
          { name: 'Runs for' },
          { name: 'Processor', isNumber: true },
          { name: 'Memory', isNumber: true },
          { name: 'Event loop late', isNumber: true },
          { name: 'Connections', isNumber: true },
          { name: 'Open files', isNumber: true },
        ]}
        rows={processes.map((process) => {
          const { figures } = process;
          const text = (value: number | undefined, write: (value: number) => string) =>
            value === undefined ? '' : write(value);
          return [
            process.address,
            <State key="state" process={process} now={now} />,
            figures?.version ?? '',
            text(figures?.started, (started) => ageText(started, now)),
            text(figures?.processor, (share) => `${shortText(share * 100)} %`),
            text(figures?.memoryBytes, bytesText),
            text(figures?.loopLagSeconds, secondsText),
            text(figures?.connections, shortText),
            text(figures?.openFiles, shortText),
          ];
        })}
        none="None is known."
      />
      {processes.map(({ address, checks }) => (
        <details key={address}>
          <summary>
            Checks of {address}: {checks.filter(({ ok }) => ok).length} of {checks.length} passed
          </summary>
          <ul class="checks">
            {checks.map(({ name, ok }) => (
              <li key={name} class={ok ? 'ok' : 'failed'}>
                {name}: {ok ? 'passed' : 'failed'}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function State({ process, now }: { readonly process: WatchedProcess; readonly now: number }) {
  const { isReady, problem, lastAnswer, checks } = process;
  if (isReady === undefined) {
    const when = lastAnswer === 0 ? 'it never has' : `last ${ageText(lastAnswer, now)} ago`;
    return (
      <span class="failed" role="status">
        does not answer ({when}): {problem}
      </span>
    );
  }
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  return (
    <>
      {isReady ? <span class="ok">ready</span> : <span class="failed">not ready: {failed.join(', ')}</span>}
      {problem !== '' && <span class="quiet"> ({problem})</span>}
    </>
  );
}
