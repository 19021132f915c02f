import type { SaveAnswer } from '../protocol/object-messages.ts';
import { Diff } from './diff.tsx';

/**
 * The result of a change on the server: its warnings, the difference, and the fields that the server sets differently.
 */
export function WouldBe({ answer }: { readonly answer: SaveAnswer }) {
  const { before, yaml, warnings, byServer } = answer;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="warning" role="alert">
          The server warns: {warning}
        </p>
      ))}
      <h3>What would change</h3>
      <Diff before={before} after={yaml} label="What would change" />
      {byServer.length > 0 && (
        <>
          <h3>What the server sets otherwise than you wrote it</h3>
          <div class="scroll" tabIndex={0} role="group" aria-label="What the server sets otherwise">
            <table class="plain">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">As you wrote it</th>
                  <th scope="col">As it would be</th>
                </tr>
              </thead>
              <tbody>
                {byServer.map((change) => (
                  <tr key={change.path}>
                    <th scope="row">
                      <code>{change.path}</code>
                    </th>
                    <td class="removed">{change.before ?? 'nothing'}</td>
                    <td class="added">{change.after ?? 'nothing'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
