/**
 * Installment types (S7). The ids are fixed and published, the same on every node and in every version.
 */

/** Kinds of rows. */
type InstallmentType = 'Regular' | 'Grace' | 'Residual' | 'EarlyRepayment';

/** The published id of each kind. */
export const INSTALLMENT_TYPE_IDS: Readonly<Record<InstallmentType, string>> = {
  Regular: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01',
  Grace: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c02',
  Residual: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c03',
  EarlyRepayment: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c04',
};
