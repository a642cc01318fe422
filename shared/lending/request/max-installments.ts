/** Maximum number of instalments of a schedule, a payment value or a simulation (M6). */
export const MAX_INSTALLMENTS = 1200;
