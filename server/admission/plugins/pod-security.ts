import { table } from '#base/collections/own-properties.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { CronJob } from '#schema/generated/batch.v1.ts';
import type { Namespace, Pod, PodTemplate, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { namespaceCheck } from '../pod-security/check-namespace.ts';
import type { PodToEvaluate } from '../pod-security/controls.ts';
import { createEvaluate, shownViolations } from '../pod-security/evaluate.ts';
import { readPodSecurityConfiguration } from '../pod-security/pod-security-configuration.ts';
import { type Mode, modes, policyReader, shownStandard } from '../pod-security/policy.ts';
import { refusal } from '../refusal.ts';

/** The path of the pod template in objects that create pods, by group and resource. */
const TEMPLATES: Readonly<Record<string, (object: ApiObject) => PodTemplateSpec | undefined>> = table({
  '/replicationcontrollers': ofSpec,
  '/podtemplates': (object) => (object as PodTemplate).template,
  'apps/replicasets': ofSpec,
  'apps/deployments': ofSpec,
  'apps/statefulsets': ofSpec,
  'apps/daemonsets': ofSpec,
  'batch/jobs': ofSpec,
  'batch/cronjobs': (object) => (object as CronJob).spec?.jobTemplate?.spec?.template,
});

function ofSpec(object: ApiObject): PodTemplateSpec | undefined {
  return (object['spec'] as { template?: PodTemplateSpec } | undefined)?.template;
}

/** The changes of a running pod that need no new evaluation. */
const HARMLESS = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds'];

function podToEvaluate({ metadata, spec }: Pod | PodTemplateSpec): PodToEvaluate | undefined {
  return spec === undefined ? undefined : { annotations: metadata?.annotations ?? {}, spec };
}

function withoutHarmless({ spec }: Pod): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec ?? {}).filter(([field]) => !HARMLESS.includes(field)));
}

/**
 * Enforces the pod security standards that a namespace names for its pods. For templates of pods there are only
 * warnings.
 */
export function podSecurity({ naming, cluster, configuration, metrics }: PluginEnvironment): AdmissionPlugin {
  const { podSecurity: counts } = metrics;
  const settings = readPodSecurityConfiguration(configuration, naming);
  const read = policyReader(naming, settings.defaults);
  const evaluate = createEvaluate(naming);
  const checkNamespace = namespaceCheck(cluster, evaluate, read, settings);
  const note = (name: string) => naming.key(`pod-security/${name}`);
  const notes = {
    enforced: note('enforce-policy'),
    audit: note('audit-violations'),
    exempt: note('exempt'),
    error: note('error'),
  };
  const profiles = [
    naming.key('container.apparmor.security.beta/'),
    naming.key('seccomp.security.alpha/'),
    naming.key('container.seccomp.security.alpha/'),
  ];
  const policies = new WeakMap<Namespace, ReturnType<typeof read>>();

  function policyOf(namespace: string): ReturnType<typeof read> {
    const object = cluster.get<Namespace>('', 'namespaces', namespace);
    if (object === undefined) return read(undefined);
    let known = policies.get(object);
    if (known === undefined) policies.set(object, (known = read(object.metadata.labels)));
    return known;
  }

  function matters(pod: Pod, old: Pod): boolean {
    const profilesOf = ({ metadata }: Pod) =>
      Object.fromEntries(
        Object.entries(metadata.annotations ?? {}).filter(([key]) => profiles.some((prefix) => key.startsWith(prefix))),
      );
    return !jsonEqual(withoutHarmless(pod), withoutHarmless(old)) || !jsonEqual(profilesOf(pod), profilesOf(old));
  }

  /** The reason why a request needs no evaluation, whatever its pod is. */
  function exemption({ namespace, context }: AdmissionRequest): string | undefined {
    if (settings.namespaces.has(namespace)) return 'namespace';
    return settings.usernames.has(context.user?.name ?? '') ? 'user' : undefined;
  }

  function exempt(request: AdmissionRequest, why: string): void {
    request.context.annotations.set(notes.exempt, why);
    counts.exempted(request);
  }

  /** Evaluates a pod or a pod template. `found` is called only if the result is needed. */
  function evaluatePod(request: AdmissionRequest, enforces: boolean, found: () => PodToEvaluate | undefined): void {
    const { context, namespace } = request;
    const always = exemption(request);
    if (always !== undefined) {
      exempt(request, always);
      return;
    }
    const { policy, errors } = policyOf(namespace);
    const concerns = (mode: Mode) => policy[mode].level !== 'privileged' && (mode !== 'enforce' || enforces);
    if (errors.length === 0 && !modes.some(concerns)) {
      if (!enforces) return;
      counts.evaluated(request, 'enforce', policy.enforce, true);
      context.annotations.set(notes.enforced, 'privileged:latest');
      return;
    }
    const pod = found();
    if (pod === undefined) return;
    if (settings.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
      exempt(request, 'runtimeClass');
      return;
    }
    if (errors.length > 0) {
      counts.misread(request);
      context.annotations.set(notes.error, `Failed to parse policy: ${errors.map(({ text }) => text).join(', ')}`);
    }
    const violated = (mode: Mode, verb: string): string | undefined => {
      const standard = policy[mode];
      const violations = evaluate(standard, pod);
      if (violations.length > 0 || mode === 'enforce') {
        counts.evaluated(request, mode, standard, violations.length === 0);
      }
      if (violations.length === 0) return undefined;
      return `${verb} PodSecurity ${JSON.stringify(shownStandard(standard))}: ${shownViolations(violations)}`;
    };
    const audit = violated('audit', 'would violate');
    if (audit !== undefined) context.annotations.set(notes.audit, audit);
    if (enforces) {
      context.annotations.set(notes.enforced, shownStandard(policy.enforce));
      const reason = violated('enforce', 'violates');
      if (reason !== undefined) throw refusal(request, reason);
    }
    const warning = violated('warn', 'would violate');
    if (warning !== undefined) context.warnings.add(warning);
  }

  return {
    name: 'PodSecurity',
    handles: ({ operation, group, resource, subresource }) => {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      if (subresource !== '') {
        return group === '' && resource === 'pods' && subresource === 'ephemeralcontainers';
      }
      if (group === '' && (resource === 'pods' || resource === 'namespaces')) return true;
      return Object.hasOwn(TEMPLATES, `${group}/${resource}`);
    },
    validate(request) {
      const { served, object, oldObject } = request;
      const { group, plural } = served.type;
      if (plural === 'namespaces') return checkNamespace(request);
      if (plural === 'pods') {
        const pod = object as Pod;
        evaluatePod(request, true, () =>
          oldObject === undefined || matters(pod, oldObject as Pod) ? podToEvaluate(pod) : undefined,
        );
        return;
      }
      evaluatePod(request, false, () => {
        const template = TEMPLATES[`${group}/${plural}`]!(object!);
        return template === undefined ? undefined : podToEvaluate(template);
      });
    },
  };
}
