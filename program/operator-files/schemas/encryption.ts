import { anything, choice, fields, filledText, list, oneOf, text, textLike, versioned, whole } from '../schema.ts';

/** A name. It becomes a part of stored values, with a colon on each side. */
const name = textLike(/^[^:\s]{1,253}$/, 'must be short, without colons and spaces, and not empty');

const keys = fields({ keys: list(fields({ name, secret: filledText() }, {}), 1) }, {});

const kms = fields(
  {
    name,
    endpoint: textLike(/^unix:\/\/\/[^@]/, 'must be the address of a socket like unix:///run/kms.sock'),
  },
  { apiVersion: oneOf('v1', 'v2'), cachesize: whole(), timeout: text() },
);

export const encryption = versioned(
  {
    resources: list(
      fields(
        {
          resources: list(filledText(), 1),
          providers: list(choice({ aesgcm: keys, aescbc: keys, secretbox: keys, identity: fields({}, {}), kms }), 1),
        },
        {},
      ),
      1,
    ),
  },
  { metadata: anything() },
);
