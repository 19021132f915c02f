import { useState } from 'preact/hooks';
import type { Rule, RuleObject } from '../protocol/rule.ts';
import { readPlace, writePlace } from './place.ts';

/** The rule that refused a request: which rule it was, why it refused, and what must change. */
export function WhyNot({ rule }: { readonly rule: Rule }) {
  switch (rule.kind) {
    case 'authorization':
      return <MissingRight rule={rule} />;
    case 'escalation':
      return (
        <div class="why">
          <p>You would give rights that you do not have:</p>
          <ul>
            {rule.rules.map((one) => (
              <li key={one}>
                <code>{one}</code>
              </li>
            ))}
          </ul>
        </div>
      );
    case 'quota':
      return (
        <div class="why">
          <p>
            The quota <Named object={rule.quota} /> has no room:
          </p>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Resource</th>
                <th scope="col">Asked for</th>
                <th scope="col">Used</th>
                <th scope="col">Limit</th>
              </tr>
            </thead>
            <tbody>
              {rule.numbers.map(({ resource, requested, used, limited }) => (
                <tr key={resource}>
                  <th scope="row">{resource}</th>
                  <td class="number">{requested}</td>
                  <td class="number">{used}</td>
                  <td class="number">{limited}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'policy':
      return (
        <p class="why">
          The policy <Named object={rule.policy} /> refuses it, by its binding <Named object={rule.binding} />
          {rule.message !== '' && `: ${rule.message}`}
        </p>
      );
    case 'webhook':
      return (
        <p class="why">
          The webhook <code>{rule.webhook}</code>
          {rule.configurations.length > 0 && ' of '}
          {rule.configurations.map((object) => (
            <Named key={`${object.what} ${object.name}`} object={object} />
          ))}{' '}
          refuses it{rule.message === '' ? ', and gives no reason.' : `: ${rule.message}`}
        </p>
      );
    case 'plug-in':
      return (
        <p class="why">
          {rule.plugin === undefined ? (
            'A part of the server that looks at all writes refuses it. The server does not say which part.'
          ) : (
            <>
              The admission plug-in <code>{rule.plugin}</code> refuses it: {rule.message}
            </>
          )}
        </p>
      );
    case 'validation':
    case 'conflict':
    case 'console':
      return null;
  }
}

function MissingRight({ rule }: { readonly rule: Extract<Rule, { readonly kind: 'authorization' }> }) {
  const { user, groups, verb, on, group, namespace, name, reason, grant } = rule;
  const [copied, setCopied] = useState('');
  return (
    <div class="why">
      <dl>
        <dt>You are</dt>
        <dd>{user}</dd>
        {groups.length > 0 && (
          <>
            <dt>in the groups</dt>
            <dd>{groups.join(', ')}</dd>
          </>
        )}
        <dt>Right that is missing</dt>
        <dd>
          <strong>{verb}</strong> on <strong>{on}</strong>
          {group !== '' && ` of ${group}`}
          {name !== '' && `, the one called ${name}`}
        </dd>
        {!on.startsWith('/') && (
          <>
            <dt>Where</dt>
            <dd>{namespace === '' ? 'the whole cluster' : `namespace ${namespace}`}</dd>
          </>
        )}
        {reason !== '' && (
          <>
            <dt>The server says</dt>
            <dd>{reason}</dd>
          </>
        )}
      </dl>
      <details>
        <summary>A role and its binding that would give it</summary>
        <pre class="grant" tabIndex={0}>
          {grant}
        </pre>
        <button
          type="button"
          onClick={() =>
            navigator.clipboard.writeText(grant).then(
              () => setCopied('Copied.'),
              () => setCopied('The browser does not let the page copy. Select the text instead.'),
            )
          }
        >
          Copy the YAML
        </button>{' '}
        <span role="status">{copied}</span>
      </details>
    </div>
  );
}

/** The name of an object, as a link if the server serves its kind. */
function Named({ object: { what, name, namespace, id } }: { readonly object: RuleObject }) {
  if (id === undefined)
    return (
      <code>
        {what} {name}
      </code>
    );
  return (
    <a href={writePlace({ ...readPlace(''), kind: id, namespace, object: `${namespace}/${name}` })}>
      {what} {name}
    </a>
  );
}
