import { fields, filledText, list, oneOf, text, truth, versioned } from '../schema.ts';

/** The source of a user's value: a claim, or an expression over all claims. */
const source = { claim: text(), expression: text() };

const prefixed = fields({}, { ...source, prefix: text() });

const issuer = fields(
  { url: filledText(), audiences: list(filledText(), 1) },
  { discoveryURL: text(), certificateAuthority: text(), audienceMatchPolicy: oneOf('MatchAny') },
);

const jwt = fields(
  {
    issuer,
    claimMappings: fields(
      { username: prefixed },
      {
        groups: prefixed,
        uid: fields({}, source),
        extra: list(fields({ key: filledText(), valueExpression: filledText() }, {})),
      },
    ),
  },
  {
    claimValidationRules: list(
      fields({}, { claim: text(), requiredValue: text(), expression: text(), message: text() }),
    ),
    userValidationRules: list(fields({ expression: filledText() }, { message: text() })),
  },
);

/** The trusted issuers of tokens, and the paths that need no credentials. */
export const authenticationConfiguration = versioned(
  {},
  {
    jwt: list(jwt),
    anonymous: fields({ enabled: truth() }, { conditions: list(fields({ path: filledText() }, {})) }),
  },
);
