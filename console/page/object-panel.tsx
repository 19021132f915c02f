import { useState } from 'preact/hooks';
import type { CatalogKind } from '../protocol/messages.ts';
import type { ObjectDetails, ObjectRequest, VersionMark } from '../protocol/object-messages.ts';
import { ObjectAccess } from './object-access.tsx';
import { Actions } from './object-actions.tsx';
import { Deletion } from './object-deletion.tsx';
import { Editing } from './object-editing.tsx';
import { ObjectHistory } from './object-history.tsx';
import { Managers } from './object-managers.tsx';
import { ObjectTimeline } from './object-timeline.tsx';
import { ObjectTree, type Open } from './object-tree.tsx';
import { ProblemNote } from './problem-note.tsx';
import { Tabs } from './tabs.tsx';
import type { Unsaved } from './unsaved.tsx';
import { useAnswer } from './use-answer.ts';

const TABS = ['YAML', 'Managers', 'Related', 'Events', 'Access', 'History'] as const;

/** The time between checks for a change of the object, in milliseconds. */
const EVERY_MS = 3_000;

export interface ObjectPanelProps {
  readonly kind: CatalogKind;
  readonly namespace: string;
  readonly name: string;
  /** The name of the open tab, as the address has it; '' for the first one. */
  readonly tab: string;
  readonly mayWrite: boolean;
  readonly unsaved: Unsaved;
  readonly onTab: (tab: string) => void;
  readonly onClose: () => void;
  readonly onOpen: Open;
}

/**
 * One object: its YAML, the manager of each field, its relatives, its events, its users' rights, its earlier versions.
 */
export function ObjectPanel({ kind, namespace, name, mayWrite, unsaved, onClose, onOpen, ...more }: ObjectPanelProps) {
  const tab = TABS.find((each) => each === more.tab) ?? TABS[0];
  /** How many edits were dropped to read the object again. */
  const [dropped, setDropped] = useState(0);
  const where = { kind: kind.id, namespace, name };
  const { answer: details, problem, again } = useAnswer<ObjectDetails>('object', where);
  const what = `${kind.kind} ${name}`;
  const readAgain = (): void =>
    unsaved.leave(() => {
      setDropped((before) => before + 1);
      again();
    });
  const changed = (): void => {
    // An edit stays: the page says that the object has changed, and merges.
    if (!unsaved.isEdited()) again();
  };
  const deleted = (): void => {
    unsaved.setEdited(false);
    onClose();
  };
  return (
    <aside class="object" aria-label={what}>
      <header>
        <h2>
          {kind.kind} <span class="name">{namespace === '' ? name : `${namespace}/${name}`}</span>
        </h2>
        <button type="button" onClick={readAgain}>
          Read again
        </button>
        {mayWrite && details !== undefined && (
          <>
            <Actions where={where} details={details} what={what} onDone={changed} />
            {kind.verbs.includes('delete') && (
              <Deletion where={where} uid={details.uid} what={what} onDeleted={deleted} />
            )}
          </>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <Tabs
        names={TABS}
        current={tab}
        label={`About ${what}`}
        onChoose={(chosen) => more.onTab(chosen === TABS[0] ? '' : chosen)}
      />
      {problem !== undefined && <ProblemNote problem={problem} />}
      {details === undefined && problem === undefined && <p class="wait">The object loads.</p>}
      {details !== undefined && <Freshness where={where} details={details} />}
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {details !== undefined && (
          <>
            {/* What was edited stays while the user looks elsewhere. */}
            <div hidden={tab !== 'YAML'}>
              <Editing
                key={`${details.uid} ${details.resourceVersion} ${dropped}`}
                where={where}
                details={details}
                mayWrite={mayWrite && kind.verbs.includes('update')}
                onEdited={unsaved.setEdited}
                onSaved={again}
              />
            </div>
            {tab === 'Managers' && <Managers managers={details.managers} />}
            {tab === 'Related' && <ObjectTree where={where} named={details.owners} onOpen={onOpen} />}
            {tab === 'Events' && <ObjectTimeline where={where} />}
            {tab === 'Access' && <ObjectAccess where={where} />}
            {tab === 'History' && <ObjectHistory key={details.resourceVersion} where={where} />}
          </>
        )}
      </div>
    </aside>
  );
}

interface FreshnessProps {
  readonly where: ObjectRequest & Readonly<Record<string, string>>;
  readonly details: ObjectDetails;
}

/** Shows that the object has changed or is gone. The text stays as it is, because the user may be editing it. */
function Freshness({ where, details }: FreshnessProps) {
  const { answer, problem } = useAnswer<VersionMark>('version', where, EVERY_MS);
  const isGone = problem?.code === 404 || (answer !== undefined && answer.uid !== details.uid);
  const isOld = answer !== undefined && answer.resourceVersion !== details.resourceVersion;
  return (
    <p class="advice" role="status">
      {isGone
        ? 'This object is gone. What is shown is what it was.'
        : isOld &&
          'The object has changed since it was read. "Read again" shows it as it is now; what you edit here is merged with it.'}
    </p>
  );
}
