/** A parameter that no service knows. */
export const nobodysParameter = 'botctl_asks';
