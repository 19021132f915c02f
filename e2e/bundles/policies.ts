import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type Bundle, maker } from './bundle.ts';

const rule = (resources: readonly string[], apiGroups: readonly string[] = ['']) => ({
  ...{ apiGroups: [...apiGroups], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [...resources] },
  scope: '*',
});
/** A selector that matches only objects of this bundle. */
const objectSelector = { matchLabels: { policed: 'true' } };

/** Policies of both kinds with bindings and parameters, and configurations of webhooks. */
export function policyBundles(naming: Naming): Bundle[] {
  const make = maker(naming);
  const policed = (name: string) => make('', 'v1', 'ConfigMap', name, { metadata: { labels: { policed: 'true' } } });
  const admission = (kind: string, name: string, spec: JsonObject) =>
    make('admissionregistration', 'v1', kind, name, { spec });
  const params = { apiVersion: 'v1', kind: 'ConfigMap' };
  const paramRef = { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' };
  return [
    {
      name: 'a validating policy with parameters',
      objects: [
        make('', 'v1', 'ConfigMap', 'limits', { data: { most: '64' } }),
        admission('ValidatingAdmissionPolicy', 'names', {
          failurePolicy: 'Fail',
          paramKind: params,
          matchConstraints: { resourceRules: [rule(['configmaps'])], objectSelector, matchPolicy: 'Equivalent' },
          matchConditions: [{ name: 'people', expression: "!request.userInfo.username.startsWith('system:node:')" }],
          variables: [{ name: 'most', expression: 'int(params.data.most)' }],
          validations: [
            {
              expression: 'object.metadata.name.size() <= variables.most',
              messageExpression: "'at most ' + string(variables.most)",
              reason: 'Invalid',
            },
          ],
          auditAnnotations: [{ key: 'length', valueExpression: 'string(object.metadata.name.size())' }],
        }),
        admission('ValidatingAdmissionPolicyBinding', 'names', {
          ...{ policyName: 'names', validationActions: ['Deny', 'Audit'], paramRef },
          matchResources: { namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } },
        }),
        policed('checked'),
      ],
    },
    {
      name: 'a mutating policy with fields',
      objects: [
        admission('MutatingAdmissionPolicy', 'labels', {
          ...{ failurePolicy: 'Fail', reinvocationPolicy: 'IfNeeded', paramKind: params },
          matchConstraints: { resourceRules: [rule(['configmaps'])], objectSelector },
          variables: [{ name: 'team', expression: "'team-' + params.data.most" }],
          mutations: [
            {
              patchType: 'ApplyConfiguration',
              applyConfiguration: {
                expression: "Object{metadata: Object.metadata{labels: {'team': variables.team}}}",
              },
            },
          ],
        }),
        admission('MutatingAdmissionPolicyBinding', 'labels', { policyName: 'labels', paramRef }),
        policed('labelled'),
      ],
    },
    {
      name: 'a mutating policy with patches',
      objects: [
        admission('MutatingAdmissionPolicy', 'patches', {
          ...{ failurePolicy: 'Ignore', reinvocationPolicy: 'Never' },
          matchConstraints: { resourceRules: [rule(['configmaps'])], objectSelector },
          matchConditions: [{ name: 'new', expression: 'oldObject == null' }],
          mutations: [
            {
              patchType: 'JSONPatch',
              jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data', value: {'added': 'yes'}}]" },
            },
          ],
        }),
        admission('MutatingAdmissionPolicyBinding', 'patches', { policyName: 'patches' }),
        policed('patched'),
      ],
    },
    {
      name: 'webhooks with conditions',
      objects: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) =>
        make('admissionregistration', 'v1', kind, 'webhooks', {
          webhooks: [
            {
              name: 'check.bundles.example.com',
              ...{ admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Ignore', timeoutSeconds: 1 },
              clientConfig: { url: 'https://127.0.0.1:1/check' },
              rules: [rule(['selecteds'], ['bundles.example.com'])],
              matchConditions: [{ name: 'c', expression: "request.operation == 'DELETE'" }],
            },
          ],
        }),
      ),
    },
  ];
}
