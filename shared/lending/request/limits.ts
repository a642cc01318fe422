/** Limits that several parts of a request share. */

/** Maximum number of instalments of a schedule, of a payment value and of a simulation (M6). */
export const MAX_INSTALLMENTS = 1200;
