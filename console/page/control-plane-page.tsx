import type { ComponentChildren } from 'preact';
import type { ControlPlane } from '../protocol/control-plane.ts';
import { Certificates, Deprecated, Leaders, Queues } from './control-plane-objects.tsx';
import { Processes } from './control-plane-processes.tsx';
import { Caches, Durations, Flows, Requests, Watches } from './control-plane-requests.tsx';
import { clockText, secondsText, shortText } from './figures.ts';
import { Plot } from './plot.tsx';
import { ProblemNote } from './problem-note.tsx';
import { NO_FIELDS, useAnswer } from './use-answer.ts';

/** The time between readings, in milliseconds. */
const EVERY_MS = 5_000;

/** The state of the control plane, updated while the page is in view. */
export function ControlPlanePage() {
  const { answer: state, problem } = useAnswer<ControlPlane>('control-plane', NO_FIELDS, EVERY_MS);
  return (
    <section class="control-plane" aria-label="Control plane" tabIndex={0}>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {state === undefined && problem === undefined && <p class="wait">The state of the control plane loads.</p>}
      {state !== undefined && <Everything state={state} />}
    </section>
  );
}

function Everything({ state }: { readonly state: ControlPlane }) {
  const window = state.windowSeconds === 0 ? 'since each replica began' : `in the last ${state.windowSeconds} seconds`;
  return (
    <>
      <p class="quiet">
        Version {state.version}. Read at {clockText(state.at)}; rates and percentiles are what happened {window}.
      </p>
      <Part title="Replicas">
        {state.replicasProblem !== '' && (
          <p class="warning">Only the address of the connection is asked: {state.replicasProblem}.</p>
        )}
        <Processes label="Replicas" processes={state.replicas} now={state.at} />
      </Part>
      {state.mayReadMetrics ? (
        <>
          <div class="plots">
            <Plot title="Requests a second" plotted={state.requestRate} text={shortText} />
            <Plot title="How long requests take" plotted={state.durationsOverTime} text={secondsText} />
            <Plot title="Requests under way and in queues" plotted={state.inFlight} text={shortText} />
          </div>
          <div class="parts">
            <Part title={`Requests, ${window}`}>
              <Requests requests={state.requests} />
            </Part>
            <Part title={`How long requests took, ${window}`}>
              <Durations label="Durations by verb" durations={state.durations} name="Verb" />
            </Part>
            <Part title="Under way and waiting, by flow">
              <Flows flows={state.flows} />
            </Part>
            <Part title="Open watches">
              <Watches watches={state.watches} />
            </Part>
            <Part title="Cache and etcd">
              <Caches state={state} />
              <Durations label="Durations of etcd by operation" durations={state.etcdDurations} name="Call of etcd" />
            </Part>
          </div>
        </>
      ) : (
        <NoMetrics />
      )}
      <Part title="Leaders">
        <Leaders leaders={state.leaders} now={state.at} />
      </Part>
      <Part title="Managers and their work queues">
        {state.managers.length > 0 && <Processes label="Managers" processes={state.managers} now={state.at} />}
        <Queues state={state} />
      </Part>
      <Part title="Certificates and when they end">
        <Certificates state={state} />
      </Part>
      {state.mayReadMetrics && (
        <Part title="Deprecated versions in use">
          <Deprecated deprecated={state.deprecated} />
        </Part>
      )}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="part">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The text that a user without this right sees instead of figures. */
function NoMetrics() {
  return (
    <div class="note">
      <p>
        No replica gives you its metrics, so requests, durations, flows, watches, the cache and etcd are not shown. You
        need the right to get the path <code>/metrics</code>. An administrator gives it with:
      </p>
      <pre>{`orchctl create clusterrole metrics-reader --verb=get --non-resource-url=/metrics
orchctl create clusterrolebinding metrics-reader --clusterrole=metrics-reader --user=YOUR-NAME`}</pre>
    </div>
  );
}
