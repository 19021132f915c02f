/** The gate for names of services that begin with a digit. Other host names may begin so already. */
export const RELAXED_NAMES = 'RelaxedServiceNameValidation';
