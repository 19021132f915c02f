import { anything, fields, filledText, list, textLike, truth, versioned, whole } from '../schema.ts';

const duration = textLike(/^\d+(\.\d+)?(ms|s|m|h)(\d+(\.\d+)?(ms|s|m|h))*$/, 'must be a time, as "15s" or "1m30s"');

const plugins = fields(
  {},
  {
    enabled: list(fields({ name: filledText() }, { weight: whole(0, 1000) })),
    disabled: list(fields({ name: filledText() }, {})),
  },
);

/** The configuration of the scheduler. */
export const scheduler = versioned(
  {},
  {
    profiles: list(
      fields(
        {},
        {
          schedulerName: filledText(),
          percentageOfNodesToScore: whole(0, 100),
          plugins: fields(
            {},
            {
              preEnqueue: plugins,
              queueSort: plugins,
              preFilter: plugins,
              filter: plugins,
              postFilter: plugins,
              preScore: plugins,
              score: plugins,
              reserve: plugins,
              permit: plugins,
              preBind: plugins,
              bind: plugins,
              postBind: plugins,
              multiPoint: plugins,
            },
          ),
          pluginConfig: list(fields({ name: filledText() }, { args: anything() })),
        },
      ),
      1,
    ),
    percentageOfNodesToScore: whole(0, 100),
    podInitialBackoffSeconds: whole(1, 3600),
    podMaxBackoffSeconds: whole(1, 36_000),
    parallelism: whole(1, 1000),
    leaderElection: fields(
      {},
      {
        leaderElect: truth(),
        leaseDuration: duration,
        renewDeadline: duration,
        retryPeriod: duration,
        resourceLock: filledText(),
        resourceName: filledText(),
        resourceNamespace: filledText(),
      },
    ),
    clientConnection: fields(
      {},
      {
        kubeconfig: filledText(),
        acceptContentTypes: anything(),
        contentType: anything(),
        qps: whole(0, 1_000_000),
        burst: whole(0, 1_000_000),
      },
    ),
    enableProfiling: truth(),
    enableContentionProfiling: truth(),
    extenders: list(anything()),
    delayCacheUntilActive: truth(),
  },
);
