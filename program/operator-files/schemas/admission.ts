import { anything, fields, filledText, list, map, oneOf, text, textLike, truth, versioned, whole } from '../schema.ts';

/** The configurations of plug-ins by name; each has a separate schema. */
export const admissionConfiguration = versioned(
  {},
  { plugins: list(fields({ name: filledText() }, { path: text(), configuration: anything() })) },
);

const level = oneOf('privileged', 'baseline', 'restricted');
const release = textLike(/^(latest|v1\.(0|[1-9][0-9]*))$/, 'must be "latest" or "v1.x"');

export const podSecurity = versioned(
  {},
  {
    defaults: fields(
      {},
      {
        enforce: level,
        'enforce-version': release,
        audit: level,
        'audit-version': release,
        warn: level,
        'warn-version': release,
      },
    ),
    exemptions: fields({}, { usernames: list(text()), runtimeClasses: list(text()), namespaces: list(text()) }),
  },
);

export const eventRateLimit = versioned(
  {
    limits: list(
      fields(
        { type: oneOf('Server', 'Namespace', 'User', 'SourceAndObject'), qps: whole(1), burst: whole(1) },
        { cacheSize: whole(0) },
      ),
      1,
    ),
  },
  {},
);

export const webhookAdmission = versioned({}, { kubeConfigFile: text() });

/** 0 and a missing value mean the default, and -1 means none. */
const lifetime = whole(-1, 1800);

/**
 * The settings of plug-ins that have neither a kind nor a version. One file may contain the settings of both plug-ins.
 */
export const unversionedPlugins = fields(
  {},
  {
    imagePolicy: fields(
      { kubeConfigFile: filledText() },
      { allowTTL: lifetime, denyTTL: lifetime, retryBackoff: whole(-1, 300_000), defaultAllow: truth() },
    ),
    podNodeSelectorPluginConfig: map(text()),
  },
);
