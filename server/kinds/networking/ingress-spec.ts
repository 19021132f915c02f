import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { HTTPIngressPath, IngressBackend, IngressSpec } from '#schema/generated/networking.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { invalidShown, shownList } from '#schema/validation/go-list.ts';
import { parseIp } from '#schema/validation/ip.ts';
import { dns1035Label, dns1123Label, dns1123Subdomain, wildcardSubdomain } from '#schema/validation/names.ts';
import { validatePortName } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';
import { validateTypedReference } from './typed-reference.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;
/**
 * Sequences that some servers resolve. The resulting path then differs from the path that a comparison of texts
 * expects.
 */
const FORBIDDEN_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

/** Whether an ingress names a service whose name is valid only since names may begin with a digit. */
export function namesRelaxed({ defaultBackend, rules = [] }: IngressSpec): boolean {
  const backends = rules.flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend));
  return [defaultBackend, ...backends].some((backend) => {
    const name = backend?.service?.name ?? '';
    return dns1035Label(name).length > 0 && dns1123Label(name).length === 0;
  });
}

/**
 * Errors of an ingress spec, in the order of its fields.
 * @param relaxed whether names of services may begin with a digit
 */
export function validateIngressSpec(spec: IngressSpec, relaxed = false): FieldError[] {
  const path = new FieldPath('spec');
  const rules = spec.rules ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    errors.push(
      invalidShown(
        path,
        shownList('networking.IngressRule', null),
        'either `defaultBackend` or `rules` must be specified',
      ),
    );
  }
  if (spec.defaultBackend !== undefined) {
    append(errors, validateBackend(spec.defaultBackend, relaxed, path.child('defaultBackend')));
  }
  rules.forEach((rule, i) => {
    const at = path.child('rules').index(i);
    append(errors, validateRuleHost(rule.host ?? '', at.child('host')));
    if (rule.http === undefined) return;
    const paths = rule.http.paths ?? [];
    const below = at.child('http', 'paths');
    if (paths.length === 0) errors.push(required(below));
    paths.forEach((item, j) => {
      append(errors, validatePath(item, relaxed, below.index(j)));
    });
  });
  (spec.tls ?? []).forEach((tls, i) => {
    const at = path.child('tls').index(i);
    (tls.hosts ?? []).forEach((host, j) => {
      append(errors, validateHostName(host, at.child('hosts').index(j)));
    });
    if (tls.secretName) append(errors, validateText(tls.secretName, dns1123Subdomain, at.child('secretName')));
  });
  if (spec.ingressClassName !== undefined) {
    append(errors, validateText(spec.ingressClassName, dns1123Subdomain, path.child('ingressClassName')));
  }
  return errors;
}

function validateRuleHost(host: string, path: FieldPath): FieldError[] {
  if (host === '') return [];
  const address =
    parseIp(host) === undefined ? [] : [invalidValue(path, host, 'must be a DNS name, not an IP address')];
  return [...address, ...validateHostName(host, path)];
}

/** Validates a DNS name, or a wildcard for all names directly below another. */
function validateHostName(host: string, path: FieldPath): FieldError[] {
  return validateText(host, host.includes('*') ? wildcardSubdomain : dns1123Subdomain, path);
}

function validatePath(item: HTTPIngressPath, relaxed: boolean, at: FieldPath): FieldError[] {
  const { pathType, path = '' } = item;
  if (pathType === undefined || pathType === null)
    return [required(at.child('pathType'), 'pathType must be specified')];
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(invalidValue(at.child('path'), path, detail));
  const absolute = path.startsWith('/');
  switch (pathType) {
    case 'Exact':
    case 'Prefix':
      if (!absolute) refuse('must be an absolute path');
      for (const text of FORBIDDEN_SEQUENCES) if (path.includes(text)) refuse(`must not contain '${text}'`);
      for (const text of FORBIDDEN_ENDS) if (path.endsWith(text)) refuse(`cannot end with '${text}'`);
      break;
    case 'ImplementationSpecific':
      if (path !== '' && !absolute) refuse('must be an absolute path');
      break;
    default:
      errors.push(notSupported(at.child('pathType'), pathType, PATH_TYPES));
  }
  return [...errors, ...validateBackend(item.backend ?? {}, relaxed, at.child('backend'))];
}

/** Validates a backend: a service with one of its ports, or an object of another kind. */
function validateBackend(backend: IngressBackend, relaxed: boolean, path: FieldPath): FieldError[] {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined) {
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateTypedReference(resource, path.child('resource'));
  if (service === undefined) return [invalidValue(path, '', 'resource or service backend is required')];
  const at = path.child('service');
  const errors = service.name
    ? validateText(service.name, relaxed ? dns1123Label : dns1035Label, at.child('name'))
    : [required(at.child('name'))];
  const { name = '', number = 0 } = service.port ?? {};
  if (name !== '' && number !== 0) errors.push(invalidValue(path, '', 'cannot set both port name & port number'));
  else if (name !== '') append(errors, validatePortName(name, at.child('port', 'name')));
  else if (number !== 0)
    append(
      errors,
      validateBound(number, bounds['networking.v1.ServiceBackendPort'].number, at.child('port', 'number')),
    );
  else errors.push(required(path, 'port name or number is required'));
  return errors;
}
