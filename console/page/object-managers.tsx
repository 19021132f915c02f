import type { ManagerOfFields } from '../protocol/object-messages.ts';
import { COLOURS, letterOf } from './manager-lines.ts';

/** The managers with their colours: the legend of the marks beside the YAML. */
export function ManagerKey({ managers }: { readonly managers: readonly ManagerOfFields[] }) {
  if (managers.length === 0) return null;
  return (
    <ul class="manager-key" aria-label="Managers of fields">
      {managers.map((manager, at) => (
        <li key={`${at} ${manager.manager}`}>
          <span class={`manager manager-${at % COLOURS}`}>{letterOf(at)}</span> {manager.manager}{' '}
          <span class="advice">{wayOf(manager)}</span>
        </li>
      ))}
    </ul>
  );
}

/** All fields, by their manager. */
export function Managers({ managers }: { readonly managers: readonly ManagerOfFields[] }) {
  if (managers.length === 0) return <p>No manager is recorded.</p>;
  return (
    <>
      {managers.map((manager, at) => (
        <details key={`${at} ${manager.manager}`} open={managers.length < 4}>
          <summary>
            <span class={`manager manager-${at % COLOURS}`}>{letterOf(at)}</span> <strong>{manager.manager}</strong>{' '}
            {wayOf(manager)}, <time>{manager.time}</time>, {manager.paths.length} fields
          </summary>
          <ul class="paths">
            {manager.paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function wayOf({ operation, subresource }: ManagerOfFields): string {
  const how = operation === 'Apply' ? 'applies' : 'updates';
  return subresource === '' ? how : `${how} ${subresource}`;
}
