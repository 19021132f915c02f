import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { dropEmpty, fill, objectAt, objectsIn, type RemovedForm, rename, rewrite } from './removed-form.ts';

/** The paths of all rules. */
function pathsOf(spec: JsonObject | undefined): readonly JsonObject[] {
  return objectsIn(spec, 'rules').flatMap((rule) => objectsIn(objectAt(rule, 'http'), 'paths'));
}

/**
 * `servicePort: web` becomes `port: {name: web}`, and `servicePort: 80` becomes `port: {number: 80}`; 0 means that no
 * port is set.
 */
function portOf(port: JsonValue): JsonObject {
  if (port === 0) return {};
  return typeof port === 'string' ? { name: port } : { number: port };
}

function backendToPresent(backend: JsonObject | undefined): void {
  if (backend === undefined) return;
  const name = backend.serviceName || '';
  const port = backend.servicePort ?? 0;
  const hasService = name !== '' || port !== 0;
  const { resource } = backend;
  rewrite(backend, () => []);
  if (hasService) backend.service = { name, port: portOf(port) };
  if (resource !== undefined) backend.resource = resource;
}

function backendFromPresent(backend: JsonObject | undefined): void {
  if (backend === undefined) return;
  const { service: _service, ...rest } = backend;
  const service = objectAt(backend, 'service');
  const port = objectAt(backend, 'service', 'port');
  rewrite(backend, () => []);
  if (service?.name) backend.serviceName = service.name;
  backend.servicePort = port?.name || port?.number || 0;
  Object.assign(backend, rest);
}

/**
 * The form of ingresses of `networking/v1beta1` and `extensions/v1beta1`. A backend there names its service in two
 * separate fields.
 */
export const ingress: RemovedForm = {
  toSuccessor(object) {
    const spec = objectAt(object, 'spec');
    rename(spec, 'backend', 'defaultBackend');
    if (spec !== undefined) backendToPresent(objectAt(spec, 'defaultBackend'));
    for (const path of pathsOf(spec)) {
      fill(path, 'pathType', 'ImplementationSpecific');
      backendToPresent(objectAt(path, 'backend'));
    }
  },
  fromSuccessor(object) {
    const spec = objectAt(object, 'spec');
    rename(spec, 'defaultBackend', 'backend');
    if (spec !== undefined) backendFromPresent(objectAt(spec, 'backend'));
    for (const path of pathsOf(spec)) {
      dropEmpty(path, 'pathType');
      backendFromPresent(objectAt(path, 'backend'));
    }
  },
};

/** The form of ingress classes of `networking/v1beta1`. Their parameters have no default scope. */
export const ingressClass: RemovedForm = {
  undo(object, given) {
    if (objectAt(given, 'spec', 'parameters')?.scope == null) delete objectAt(object, 'spec', 'parameters')?.scope;
  },
};
