import { useState } from 'preact/hooks';
import type { ControlPlane, DeprecatedUse, Leader, Writers } from '../protocol/control-plane.ts';
import type { Problem } from '../protocol/messages.ts';
import { ageText } from './age.ts';
import { ask, problemOf } from './ask.ts';
import { DataTable } from './data-table.tsx';
import { secondsText, shortText, timeLeft } from './figures.ts';
import { ProblemNote } from './problem-note.tsx';

const number = (name: string) => ({ name, isNumber: true });

export function Leaders({ leaders, now }: { readonly leaders: readonly Leader[] | undefined; readonly now: number }) {
  if (leaders === undefined)
    return <p class="quiet">You may not list leases in the system namespace, which say who leads.</p>;
  return (
    <DataTable
      label="Leaders"
      columns={[
        { name: 'Lease' },
        { name: 'Holder' },
        { name: 'State' },
        { name: 'Holds it for' },
        { name: 'Renewed' },
        number('Changes of holder'),
      ]}
      rows={leaders.map(({ name, holder, since, renewed, transitions, isOver }) => [
        name,
        holder,
        <span key="state" class={isOver ? 'failed' : 'ok'}>
          {isOver ? 'run out: no process leads' : 'leads'}
        </span>,
        since === 0 ? '' : ageText(since, now),
        renewed === 0 ? '' : `${ageText(renewed, now)} ago`,
        String(transitions),
      ])}
      none="There are no leases: no manager that has to lead has run."
    />
  );
}

/** Queues that were always empty are hidden at first. */
export function Queues({ state: { queues, managers, managersMissing } }: { readonly state: ControlPlane }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? queues : queues.filter(({ depth, added }) => depth > 0 || added > 0);
  return (
    <>
      {managersMissing.length > 0 && (
        <p class="quiet">
          No manager answers at {managersMissing.join(', ')}. Where managers are elsewhere, name them:{' '}
          <code>orchctl console --managers=HOST:PORT,HOST:PORT</code>
        </p>
      )}
      {managers.length > 0 && (
        <>
          <label class="check">
            <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} /> Queues
            that never had work, too
          </label>
          <DataTable
            label="Work queues"
            columns={[
              { name: 'Manager' },
              { name: 'Queue' },
              number('Waiting'),
              number('Added a second'),
              number('Added'),
              number('Tried again'),
              number('Under way for'),
            ]}
            rows={shown.map(({ address, name, depth, added, addedPerSecond, retries, unfinishedSeconds }) => [
              address,
              name,
              shortText(depth),
              addedPerSecond === null ? '' : shortText(addedPerSecond),
              shortText(added),
              shortText(retries),
              secondsText(unfinishedSeconds),
            ])}
            none="The managers that answer show no queues: a manager that waits to lead has none."
          />
        </>
      )}
    </>
  );
}

export function Certificates({ state }: { readonly state: ControlPlane }) {
  const soon = state.clientCertificates.filter(({ requests }) => requests > 0);
  return (
    <>
      <DataTable
        label="Certificates and tokens"
        columns={[{ name: 'Where' }, { name: 'For' }, { name: 'Ends' }, { name: 'Day' }, { name: 'Issued by' }]}
        rows={state.certificates.map(({ where, subject, issuer, ends, problem }) => {
          const left = timeLeft(ends, state.at);
          return [
            where,
            subject,
            <span key="ends" class={ENDS[left.state]}>
              {ends === 0 ? problem : left.text}
              {ends !== 0 && problem !== '' && ` (${problem})`}
            </span>,
            ends === 0 ? '' : new Date(ends).toISOString().slice(0, 10),
            issuer,
          ];
        })}
        none="No certificate was seen."
      />
      {state.certificatesMissing.length > 0 && <p class="quiet">Not read: {state.certificatesMissing.join('; ')}.</p>}
      {state.mayReadMetrics &&
        (soon.length === 0 ? (
          <p class="quiet">No client came with a certificate that had less than 30 days left.</p>
        ) : (
          <ul>
            {soon.map(({ belowSeconds, requests }) => (
              <li key={belowSeconds} class="warning">
                {shortText(requests)} requests came with a client certificate{' '}
                {belowSeconds === 0 ? 'that had ended' : `with less than ${shortText(belowSeconds / 86_400)} days left`}
                .
              </li>
            ))}
          </ul>
        ))}
    </>
  );
}

const ENDS = { good: '', soon: 'warning', over: 'failed' } as const;

export function Deprecated({ deprecated }: { readonly deprecated: readonly DeprecatedUse[] }) {
  if (deprecated.length === 0)
    return <p class="quiet">No client has asked for a deprecated version since the replicas began.</p>;
  return (
    <>
      <p class="quiet">
        Replicas count that a version was asked for, but not by which client: their audit log names each one. What can
        be read here is who wrote objects through it.
      </p>
      <ul class="deprecated">
        {deprecated.map((use) => (
          <li key={JSON.stringify(use)}>
            <DeprecatedVersion use={use} />
          </li>
        ))}
      </ul>
    </>
  );
}

function DeprecatedVersion({ use }: { readonly use: DeprecatedUse }) {
  const { group, version, resource, subresource, removedRelease } = use;
  const [answer, setAnswer] = useState<Writers>();
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, setAsking] = useState(false);
  const name = `${resource}${subresource === '' ? '' : `/${subresource}`} of ${group === '' ? '' : `${group}/`}${version}`;
  const find = (): void => {
    setAsking(true);
    setProblem(undefined);
    ask<Writers>('writers', { kind: `${resource}.${version}.${group}` })
      .then(setAnswer, (error) => setProblem(problemOf(error)))
      .finally(() => setAsking(false));
  };
  return (
    <>
      <strong>{name}</strong>
      {removedRelease === '' ? ', without a date for its end' : `, not served from release ${removedRelease} on`}{' '}
      <button type="button" onClick={find} disabled={isAsking}>
        {isAsking ? 'The objects are read.' : 'Who wrote through it?'}
      </button>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {answer !== undefined && (
        <>
          <p class="quiet">
            {answer.looked} objects were looked at{answer.isCut ? ', and there are more' : ''}.
          </p>
          <DataTable
            label={`Who wrote ${name}`}
            columns={[{ name: 'Manager' }, number('Objects'), { name: 'Last one' }, { name: 'Time' }]}
            rows={answer.writers.map(({ manager, objects, example, last }) => [
              manager,
              String(objects),
              example,
              last,
            ])}
            none="No object says that it was written through this version: its clients only read, or what they wrote is gone."
          />
        </>
      )}
    </>
  );
}
