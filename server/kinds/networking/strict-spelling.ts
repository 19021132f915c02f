/** The gate of the rule that addresses and ranges in fields must mean one thing to all programs: no leading zeros. */
export const STRICT_SPELLING = 'StrictIPCIDRValidation';
