import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe, ProbeHandler } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { httpHeaderName } from '#schema/validation/names.ts';
import { validatePortNumberOrName } from '#schema/validation/ports.ts';

const LIMITS = bounds['core.v1.Probe'];
const SCHEMES = ['HTTP', 'HTTPS'];

function validateHttp(http: HTTPGetAction, path: FieldPath): FieldError[] {
  const { scheme = '' } = http;
  return [
    ...(http.path ? [] : [required(path.child('path'))]),
    ...validatePortNumberOrName(http.port, path.child('port')),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(path.child('scheme'), scheme, SCHEMES)]),
    ...(http.httpHeaders ?? []).flatMap(({ name = '' }) =>
      httpHeaderName(name).map((problem) => invalidValue(path.child('httpHeaders'), name, problem)),
    ),
  ];
}

/** Validates an action on a container. It has exactly one method. */
function validateHandler(
  { exec, httpGet, tcpSocket, grpc, sleep }: ProbeHandler & Pick<LifecycleHandler, 'sleep'>,
  path: FieldPath,
  longestSleep = 0,
): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  const check = (name: string, given: boolean, validate: (at: FieldPath) => FieldError[]) => {
    if (!given) return;
    const at = path.child(name);
    append(errors, count++ > 0 ? [forbiddenField(at, 'may not specify more than 1 handler type')] : validate(at));
  };
  check('exec', exec != null, (at) => (exec?.command?.length ? [] : [required(at.child('command'))]));
  check('httpGet', httpGet != null, (at) => validateHttp(httpGet!, at));
  check('tcpSocket', tcpSocket != null, (at) => validatePortNumberOrName(tcpSocket?.port, at.child('port')));
  check('grpc', grpc != null, (at) =>
    validateBound(grpc?.port ?? 0, bounds['core.v1.GRPCAction'].port, at.child('port')),
  );
  check('sleep', sleep != null, (at) => {
    const seconds = Number(sleep?.seconds ?? 0);
    if (seconds >= 0 && seconds <= longestSleep) return [];
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${longestSleep})`;
    return [invalidValue(at, seconds, detail)];
  });
  return count > 0 ? errors : [required(path, 'must specify a handler type')];
}

function validateProbe(probe: Probe, path: FieldPath): FieldError[] {
  return [
    ...validateHandler(probe, path),
    ...(
      ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const
    ).flatMap((field) => validateBound(probe[field], LIMITS[field], path.child(field))),
    ...validateBound(
      probe.terminationGracePeriodSeconds,
      LIMITS.terminationGracePeriodSeconds,
      path.child('terminationGracePeriodSeconds'),
    ),
  ];
}

/** Validates a probe whose success threshold must be 1. */
function validateSingleProbe(probe: Probe | null | undefined, path: FieldPath): FieldError[] {
  if (probe == null) return [];
  const errors = validateProbe(probe, path);
  const { successThreshold = 0 } = probe;
  if (successThreshold === 1) return errors;
  return [...errors, invalidValue(path.child('successThreshold'), successThreshold, 'must be 1')];
}

interface Watched {
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
}

/** Validates the probes of a container, and the handlers that run at its start and end. */
export function validateWatching(container: Watched, path: FieldPath, graceSeconds: number): FieldError[] {
  const { lifecycle, readinessProbe } = container;
  const errors = (['postStart', 'preStop'] as const).flatMap((moment) => {
    const handler = lifecycle?.[moment];
    return handler == null ? [] : validateHandler(handler, path.child('lifecycle', moment), graceSeconds);
  });
  append(errors, validateSingleProbe(container.livenessProbe, path.child('livenessProbe')));
  if (readinessProbe != null) {
    const at = path.child('readinessProbe');
    append(errors, validateProbe(readinessProbe, at));
    const seconds = readinessProbe.terminationGracePeriodSeconds;
    if (seconds != null) {
      const detail = 'must not be set for readinessProbes';
      errors.push(invalidValue(at.child('terminationGracePeriodSeconds'), seconds, detail));
    }
  }
  return [...errors, ...validateSingleProbe(container.startupProbe, path.child('startupProbe'))];
}
