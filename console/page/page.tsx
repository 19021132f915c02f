import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Access, Catalog, CatalogKind, Problem } from '../protocol/messages.ts';
import { post, problemOf, watchUse } from './ask.ts';
import { ControlPlanePage } from './control-plane-page.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { kindOfLetters } from './kind-of-letters.ts';
import { ObjectPanel } from './object-panel.tsx';
import { CLOSED, ELSEWHERE, type Place, usePlace } from './place.ts';
import { ProblemNote } from './problem-note.tsx';
import { TablePage } from './table-page.tsx';
import { useUnsaved } from './unsaved.tsx';
import { NO_FIELDS, useAnswer } from './use-answer.ts';

/** The letters that open the control plane. */
const CONTROL_PLANE = 'cp';

/** The kind that the page shows first, if the server has it: most users want it. */
const FIRST = 'pods';

/** How often the page asks which kinds and namespaces there are, and which kinds the user may list, in milliseconds. */
const EVERY_MS = 30_000;

/** Until the server has answered, no kind is marked as forbidden. */
const EVERYTHING: Access = { listable: 'all' };

function Page({ catalog }: { readonly catalog: Catalog }) {
  const { unsaved, question } = useUnsaved();
  const [place, go] = usePlace(unsaved);
  const { answer: access = EVERYTHING } = useAnswer<Access>('access', { namespace: place.namespace }, EVERY_MS);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const first = catalog.kinds.find(({ plural, group }) => plural === FIRST && group === '') ?? catalog.kinds[0];
  const kind = catalog.kinds.find(({ id }) => id === place.kind) ?? first;
  useEffect(() => {
    if (place.kind === '' && kind !== undefined && place.view === 'table')
      go({ kind: kind.id, namespace: catalog.namespaces === undefined ? catalog.namespace : '' });
  }, [place.kind]);
  useKeys({
    filter: () => document.getElementById('filter')?.focus(),
    help: () => setHelpOpen(true),
    close: () => (isHelpOpen ? setHelpOpen(false) : go(CLOSED)),
    goTo: (letters) => {
      if (letters === CONTROL_PLANE) {
        go({ ...CLOSED, view: 'control-plane' });
        return;
      }
      const found = kindOfLetters(catalog.kinds, letters);
      if (found !== undefined) go({ ...ELSEWHERE, kind: found.id });
    },
  });
  const [objectNamespace = '', objectName = ''] = place.object.split('/', 2);
  return (
    <>
      <header class="top">
        <h1>Console</h1>
        <span class="server">{catalog.server}</span>
        <span class="mode">{catalog.mayWrite ? 'changes are let through' : 'read only'}</span>
        <Namespaces catalog={catalog} place={place} go={go} />
        <button type="button" onClick={() => setHelpOpen(true)}>
          Keys
        </button>
      </header>
      <Kinds catalog={catalog} access={access} place={place} current={kind} go={go} />
      <main class={place.object === '' ? '' : 'with-object'}>
        {place.view === 'control-plane' ? (
          <ControlPlanePage />
        ) : kind === undefined ? (
          <p>The server serves nothing that can be listed.</p>
        ) : (
          <TablePage kind={kind} kinds={catalog.kinds} place={place} go={go} />
        )}
        {kind !== undefined && place.object !== '' && place.view === 'table' && (
          <ObjectPanel
            kind={kind}
            namespace={objectNamespace}
            name={objectName}
            tab={place.tab}
            mayWrite={catalog.mayWrite}
            unsaved={unsaved}
            onTab={(tab) => go({ tab })}
            onClose={() => go(CLOSED)}
            onOpen={(id, namespace, name) =>
              go({ ...ELSEWHERE, kind: id, object: `${namespace}/${name}`, tab: place.tab })
            }
          />
        )}
      </main>
      {question}
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </>
  );
}

interface Parts {
  readonly catalog: Catalog;
  readonly place: Place;
  readonly go: (change: Partial<Place>) => void;
}

/** A choice of the existing namespaces; a text field if the user may not list them. */
function Namespaces({ catalog, place, go }: Parts) {
  return (
    <label class="namespace">
      Namespace{' '}
      {catalog.namespaces === undefined ? (
        <input
          value={place.namespace}
          title="You may not list namespaces: type the name of yours."
          onChange={(event) => go({ ...CLOSED, namespace: event.currentTarget.value })}
        />
      ) : (
        <select value={place.namespace} onChange={(event) => go({ ...CLOSED, namespace: event.currentTarget.value })}>
          <option value="">all</option>
          {catalog.namespaces.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

interface KindsProps extends Parts {
  readonly access: Access;
  readonly current: CatalogKind | undefined;
}

/** All kinds, by their group. Kinds that the user may not list are included, and marked. */
function Kinds({ catalog, access, place, current, go }: KindsProps) {
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase();
  const shown = catalog.kinds.filter(({ plural, group }) => `${plural} ${group}`.includes(wanted));
  const groups = [...new Set(shown.map(({ group }) => group))];
  const may = ({ id }: CatalogKind): boolean => access.listable === 'all' || access.listable.includes(id);
  return (
    <nav class="kinds" aria-label="Kinds">
      <button
        type="button"
        class="link"
        aria-current={place.view === 'control-plane' ? 'page' : undefined}
        onClick={() => go({ ...CLOSED, view: 'control-plane' })}
      >
        Control plane
      </button>
      <label>
        Find a kind <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <div class="groups">
        {groups.map((group) => (
          <section key={group} aria-label={group === '' ? 'core' : group}>
            <h2>{group === '' ? 'core' : group}</h2>
            <ul>
              {shown
                .filter((kind) => kind.group === group)
                .map((kind) => (
                  <li key={kind.id}>
                    <button
                      type="button"
                      class={may(kind) ? 'link' : 'link not-allowed'}
                      title={may(kind) ? kind.kind : `You may not list ${kind.plural} here.`}
                      aria-current={place.view === 'table' && kind.id === current?.id ? 'page' : undefined}
                      onClick={() => go({ ...ELSEWHERE, kind: kind.id })}
                    >
                      {kind.plural}
                    </button>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
      {catalog.missing.length > 0 && <p class="warning">These do not answer: {catalog.missing.join(', ')}</p>}
    </nav>
  );
}

/** Exchanges the secret of the address for a cookie, and takes it out of the address before anything else. */
async function enter(): Promise<void> {
  const secret = /^#secret=(.*)$/.exec(location.hash)?.[1];
  if (secret === undefined) return;
  history.replaceState(undefined, '', location.pathname);
  await post('session', { secret });
}

function Start() {
  const [isIn, setIn] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    enter().then(
      () => setIn(true),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  return isIn ? <Served /> : <p class="wait">The console checks the address of the page.</p>;
}

/** The page, with the kinds and namespaces that the server has now. */
function Served() {
  const { answer: catalog, problem } = useAnswer<Catalog>('catalog', NO_FIELDS, EVERY_MS);
  if (catalog !== undefined) return <Page catalog={catalog} />;
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  return <p class="wait">The console asks the server what it serves.</p>;
}

watchUse();
const root = document.getElementById('page')!;
root.replaceChildren();
render(<Start />, root);
