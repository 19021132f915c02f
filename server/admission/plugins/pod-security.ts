import { jsonEqual } from '../../patch/json-equal.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import type { CronJob } from '../../schema/generated/batch.v1.ts';
import type { Namespace, Pod, PodTemplate, PodTemplateSpec } from '../../schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import type { Judged } from '../pod-security/controls.ts';
import { createEvaluate, shownViolations } from '../pod-security/evaluate.ts';
import { namespaceJudge } from '../pod-security/judge-namespace.ts';
import { readPodSecurityConfiguration } from '../pod-security/pod-security-configuration.ts';
import { type Mode, modes, policyReader, type Standard, shownStandard } from '../pod-security/policy.ts';
import { refusal } from '../refusal.ts';

/** Where objects that make pods keep their template, by group and resource. */
const TEMPLATES: Readonly<Record<string, (object: ApiObject) => PodTemplateSpec | undefined>> = {
  '/replicationcontrollers': ofSpec,
  '/podtemplates': (object) => (object as PodTemplate).template,
  'apps/replicasets': ofSpec,
  'apps/deployments': ofSpec,
  'apps/statefulsets': ofSpec,
  'apps/daemonsets': ofSpec,
  'batch/jobs': ofSpec,
  'batch/cronjobs': (object) => (object as CronJob).spec?.jobTemplate?.spec?.template,
};

function ofSpec(object: ApiObject): PodTemplateSpec | undefined {
  return (object['spec'] as { template?: PodTemplateSpec } | undefined)?.template;
}

/** What a running pod may change without being judged again. */
const HARMLESS = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds'];

function judged({ metadata, spec }: Pod | PodTemplateSpec): Judged | undefined {
  return spec === undefined ? undefined : { annotations: metadata?.annotations ?? {}, spec };
}

function withoutHarmless({ spec }: Pod): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec ?? {}).filter(([field]) => !HARMLESS.includes(field)));
}

/** Holds pods to the pod security standards that their namespace names. Templates of pods are only warned about. */
export function podSecurity({ naming, cluster, configuration }: PluginEnvironment): AdmissionPlugin {
  const settings = readPodSecurityConfiguration(configuration, naming);
  const read = policyReader(naming, settings.defaults);
  const evaluate = createEvaluate(naming);
  const judgeNamespace = namespaceJudge(cluster, evaluate, read, settings);
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

  /** Why a request is not judged. */
  function exemption({ namespace, context }: AdmissionRequest, { spec }: Judged): string | undefined {
    if (settings.namespaces.has(namespace)) return 'namespace';
    if (settings.usernames.has(context.user?.name ?? '')) return 'user';
    return settings.runtimeClasses.has(spec.runtimeClassName ?? '') ? 'runtimeClass' : undefined;
  }

  function judge(request: AdmissionRequest, pod: Judged, enforces: boolean): void {
    const { context, namespace } = request;
    const { policy, errors } = policyOf(namespace);
    const concerns = (mode: Mode) => policy[mode].level !== 'privileged' && (mode !== 'enforce' || enforces);
    if (errors.length === 0 && !modes.some(concerns)) return;
    const exempt = exemption(request, pod);
    if (exempt !== undefined) {
      context.annotations.set(notes.exempt, exempt);
      return;
    }
    if (errors.length > 0) {
      context.annotations.set(notes.error, `Failed to parse policy: ${errors.map(({ text }) => text).join(', ')}`);
    }
    const violated = (verb: string, standard: Standard): string | undefined => {
      const violations = evaluate(standard, pod);
      if (violations.length === 0) return undefined;
      return `${verb} PodSecurity ${JSON.stringify(shownStandard(standard))}: ${shownViolations(violations)}`;
    };
    const audit = violated('would violate', policy.audit);
    if (audit !== undefined) context.annotations.set(notes.audit, audit);
    if (enforces) {
      context.annotations.set(notes.enforced, shownStandard(policy.enforce));
      const reason = violated('violates', policy.enforce);
      if (reason !== undefined) throw refusal(request, reason);
    }
    const warning = violated('would violate', policy.warn);
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
      if (plural === 'namespaces') return judgeNamespace(request);
      if (plural === 'pods') {
        const pod = judged(object as Pod);
        if (oldObject !== undefined && !matters(object as Pod, oldObject as Pod)) return;
        if (pod !== undefined) judge(request, pod, true);
        return;
      }
      const template = TEMPLATES[`${group}/${plural}`]!(object!);
      const pod = template === undefined ? undefined : judged(template);
      if (pod !== undefined) judge(request, pod, false);
    },
  };
}
