import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import { apiServiceVersions } from '#schema/conversion/apiregistration/api-service.ts';
import type { APIService, APIServiceSpec } from '#schema/generated/apiregistration.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { base64Bytes } from '#schema/validation/content-size.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { dns1035Label, dns1123Subdomain, pathSegmentName } from '#schema/validation/names.ts';
import { portNumber } from '#schema/validation/ports.ts';
import { validateRequired, validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const SPEC = new FieldPath('spec');
const MAX_GROUP_PRIORITY = bounds['apiregistration.v1.APIServiceSpec'].groupPriorityMinimum.maximum;
const MAX_VERSION_PRIORITY = bounds['apiregistration.v1.APIServiceSpec'].versionPriority.maximum;

function validatePriority(priority: number, max: number, path: FieldPath): FieldError[] {
  return priority > 0 && priority <= max ? [] : [invalidValue(path, priority, `must be positive and less than ${max}`)];
}

/**
 * Validates the service of a version. A `caBundle` may be any text: installers store a placeholder, and another program
 * writes the bundle later.
 */
function validateTarget({ service, caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (service === undefined) {
    if (caBundle !== '') {
      const shown = `${base64Bytes(caBundle)} bytes`;
      errors.push(invalidValue(SPEC.child('caBundle'), shown, 'local APIServices may not have a caBundle'));
    }
    if (insecureSkipTLSVerify) {
      const detail = 'local APIServices may not have insecureSkipTLSVerify';
      errors.push(invalidValue(SPEC.child('insecureSkipTLSVerify'), true, detail));
    }
    return errors;
  }
  const path = SPEC.child('service');
  const { port = 443 } = service;
  append(
    errors,
    validateRequired(service.namespace, path.child('namespace')),
    validateRequired(service.name, path.child('name')),
    portNumber(port).map((problem) => invalidValue(path.child('port'), port, `port is not valid: ${problem}`)),
  );
  if (insecureSkipTLSVerify && caBundle !== '') {
    const detail = 'may not be true if caBundle is present';
    errors.push(invalidValue(SPEC.child('insecureSkipTLSVerify'), true, detail));
  }
  return errors;
}

/** Validates an object. The name consists of the version and the group, which are checked with it. */
function validate(object: APIService, { naming }: WriteContext): FieldError[] {
  const { spec = { groupPriorityMinimum: 0, versionPriority: 0 } } = object;
  const { group = '', version = '' } = spec;
  const wanted = `${version}.${group}`;
  const validateName = (name: string) => {
    const problems = pathSegmentName(name);
    if (problems.length > 0 || name === wanted) return problems;
    return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
  };
  const errors = validateKindMetadata(object, { namespaced: false, validateName, anyFinalizers: true }, naming);
  if (group !== '') append(errors, validateText(group, dns1123Subdomain, SPEC.child('group')));
  else if (version !== 'v1') {
    const detail = 'only v1 may have an empty group and it better be legacy kube';
    errors.push(required(SPEC.child('group'), detail));
  }
  return [
    ...errors,
    ...validateText(version, dns1035Label, SPEC.child('version')),
    ...validatePriority(spec.groupPriorityMinimum, MAX_GROUP_PRIORITY, SPEC.child('groupPriorityMinimum')),
    ...validatePriority(spec.versionPriority, MAX_VERSION_PRIORITY, SPEC.child('versionPriority')),
    ...validateTarget(spec),
  ];
}

const STATUSES = ['True', 'False', 'Unknown'];

/**
 * The kind of entries for group versions. Each says which server serves the version: this server, or a service to which
 * requests are forwarded.
 */
export const apiService = defineKind('apiregistration/apiservices', {
  versions: apiServiceVersions,
  takesStatus: (old) => old === undefined,
  prepareForCreate(object, { now }) {
    object.status = {};
    if (object.spec?.service !== undefined) return;
    const message = 'Local APIServices are always available';
    const condition = { type: 'Available', status: 'True', lastTransitionTime: now, reason: 'Local', message };
    object.status = { conditions: [condition] };
  },
  validatesOwnMetadata: true,
  anyFinalizers: true,
  validate,
  validateUpdate: (object, _old, context) => validate(object, context),
  statusResets: METADATA_AND_SPEC,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) =>
        (status?.conditions ?? []).flatMap((condition, i) => {
          if (STATUSES.includes(condition.status)) return [];
          const path = new FieldPath('status').child('conditions').index(i).child('status');
          return [notSupported(path, condition.status, STATUSES)];
        }),
    },
  },
  cells({ metadata, spec, status }, { now }) {
    const { service } = spec ?? {};
    const available = (status?.conditions ?? []).find(({ type }) => type === 'Available');
    const why = available?.status === 'True' ? '' : ` (${available?.reason ?? ''})`;
    return [
      metadata.name ?? '',
      service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
      available === undefined ? 'Unknown' : `${available.status}${why}`,
      age(metadata.creationTimestamp, now),
    ];
  },
});
