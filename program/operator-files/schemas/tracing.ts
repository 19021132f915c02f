import { textLike, versioned, whole } from '../schema.ts';

export const tracing = versioned(
  {},
  {
    endpoint: textLike(
      /^((https?|dns):\/+)?([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?\/?$/,
      'must be the host and port of a collector',
    ),
    samplingRatePerMillion: whole(0, 1_000_000),
  },
);
