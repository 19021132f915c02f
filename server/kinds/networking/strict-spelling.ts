/**
 * The gate of the rule that every program must understand addresses and ranges in fields in the same way: no leading
 * zeros.
 */
export const STRICT_SPELLING = 'StrictIPCIDRValidation';
