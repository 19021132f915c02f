import { fields, filledText, list, map, oneOf, text, textLike, truth, versioned, whole } from '../schema.ts';

const time = textLike(/^\d{1,9}(\.\d{1,3})?(ms|s|m|h)$/, 'must be a time, as "500ms", "5s" or "2m"');

/** Additional stages of pods on simulated nodes. */
export const podStages = versioned(
  {
    stages: list(
      fields(
        {
          name: filledText(),
          next: fields(
            {},
            {
              wishes: map(text()),
              exitCode: whole(0, 255),
              reason: text(),
              message: text(),
              event: fields({ reason: filledText(), message: text() }, { type: oneOf('Normal', 'Warning') }),
              delete: truth(),
            },
          ),
        },
        {
          match: fields(
            {},
            {
              namespaces: list(filledText()),
              labels: map(text()),
              annotations: map(text()),
              owners: list(filledText()),
              nodes: list(filledText()),
              phases: list(oneOf('Pending', 'Running', 'Succeeded', 'Failed')),
              ready: truth(),
            },
          ),
          delay: time,
          jitter: time,
          percent: whole(0, 100),
        },
      ),
      1,
    ),
  },
  {},
);
