import { createHash } from 'node:crypto';
import { ExpiringCache } from '#base/collections/expiring-cache.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import { unversionedPlugins } from '#program/operator-files/kinds.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { ReviewError, reviewClient } from '../../outbound/review-client.ts';
import { readWebhookConnection } from '../../outbound/webhook-connection.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

const GROUP = 'imagepolicy';
const VERSION = 'v1alpha1';
const CACHED = 1024;

interface Settings {
  readonly connectionFile: string;
  readonly allowMs: number;
  readonly denyMs: number;
  readonly retryMs: number;
  readonly defaultAllow: boolean;
}

/** The decision of a backend. */
interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  /** Notes for the audit log. */
  readonly notes: Readonly<Record<string, string>>;
}

function readSettings({ configuration, naming }: PluginEnvironment): Settings {
  const given = configuration?.as(unversionedPlugins, naming).imagePolicy;
  if (configuration === undefined || given === undefined || given === null) {
    throw new ConfigError(
      'the admission plug-in ImagePolicyWebhook needs imagePolicy: name a configuration in --admission-control-config-file',
    );
  }
  /** The duration of a setting. 0 or a missing value means the default, and -1 means none. */
  const duration = (value: number | null | undefined, fallback: number) => Math.max(0, value || fallback);
  return {
    connectionFile: configuration.resolve(given.kubeConfigFile),
    allowMs: duration(given.allowTTL, 300) * 1000,
    denyMs: duration(given.denyTTL, 30) * 1000,
    retryMs: duration(given.retryBackoff, 500),
    defaultAllow: given.defaultAllow === true,
  };
}

function texts(value: JsonValue | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Asks a backend whether the images of pods may run. */
export function imagePolicyWebhook(environment: PluginEnvironment): AdmissionPlugin {
  const { naming, options } = environment;
  const apiVersion = naming.apiVersion(GROUP, VERSION);
  if (!options.runtimeConfig.enabled(GROUP, VERSION, 'imagereviews', false)) {
    throw new ConfigError(
      `the admission plug-in ImagePolicyWebhook needs its API version: start with --runtime-config=${apiVersion}=true`,
    );
  }
  const settings = readSettings(environment);
  const connection = readWebhookConnection(settings.connectionFile, environment.warn);
  if (!connection.server.startsWith('https:')) {
    throw new ConfigError(`${settings.connectionFile}: the server of an image policy must be reached by https`);
  }
  const ask = reviewClient(connection, { retryMs: settings.retryMs, counted: environment.metrics.calls });
  const cache = new ExpiringCache<Verdict>(CACHED);
  const meant = `.${naming.domain('image-policy')}/`;
  const failedOpen = naming.key('alpha.image-policy/failed-open');
  const audited = (name: string) => `${naming.domain('imagepolicywebhook.image-policy')}/${name}`;

  function specOf({ object, namespace, subresource }: AdmissionRequest): JsonObject {
    const { metadata, spec } = object as Pod;
    const containers =
      subresource === 'ephemeralcontainers'
        ? (spec?.ephemeralContainers ?? [])
        : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(meant));
    return {
      containers: containers.map(({ image }) => ({ image: image ?? '' })),
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
      namespace,
    };
  }

  async function verdict(spec: JsonObject, context: RequestContext): Promise<Verdict> {
    // The cache stores a digest of the annotations: they may be long, and the cache holds many verdicts.
    const key = createHash('sha256').update(stringify(spec)).digest('base64');
    const known = cache.get(key);
    if (known !== undefined) return known;
    const review = { kind: 'ImageReview', apiVersion, metadata: { creationTimestamp: null }, spec, status: {} };
    const { allowed, reason, auditAnnotations } = await ask(review, context);
    if (typeof allowed !== 'boolean') throw new ReviewError('the answer of the image policy backend decides nothing');
    const given = { allowed, reason: typeof reason === 'string' ? reason : '', notes: texts(auditAnnotations) };
    cache.set(key, given, given.allowed ? settings.allowMs : settings.denyMs);
    return given;
  }

  return {
    name: 'ImagePolicyWebhook',
    handles: ({ operation, group, resource, subresource }) =>
      group === '' &&
      resource === 'pods' &&
      ((subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) ||
        (subresource === 'ephemeralcontainers' && operation === 'UPDATE')),
    async validate(request) {
      const spec = specOf(request);
      if ((spec['containers'] as unknown[]).length === 0) return;
      let given: Verdict;
      try {
        given = await verdict(spec, request.context);
      } catch (error) {
        if (!(error instanceof ReviewError)) throw error;
        if (!settings.defaultAllow) throw refusal(request, error.message);
        const { metadata } = request.object!;
        metadata.annotations = { ...metadata.annotations, [failedOpen]: 'true' };
        request.context.annotations.set(audited('failed-open'), 'true');
        return;
      }
      for (const [name, value] of Object.entries(given.notes)) {
        const key = audited(name);
        if (qualifiedName(key).length === 0) request.context.annotations.set(key, value);
      }
      if (given.allowed) return;
      const why = given.reason === '' ? '' : `: ${given.reason}`;
      throw refusal(
        request,
        why === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images${why}`,
      );
    },
  };
}
