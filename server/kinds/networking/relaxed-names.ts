/** The gate of names of services that begin with a digit, as other names of hosts may. */
export const RELAXED_NAMES = 'RelaxedServiceNameValidation';
