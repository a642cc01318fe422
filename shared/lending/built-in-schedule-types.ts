/** Schedule types that exist without a catalogue (S4). Their ids are fixed and published (S7). */

import type { ScheduleType } from './schedule-type.ts';

const LOAN_DEFAULTS = {
  status: 'Active',
  productTypes: ['TL', 'MG', 'C'],
  dayCount: '30/360',
  installmentValueCustom: true,
  useMaturityDate: true,
  measurementUnit: null,
  rounding: 'HALF_UP',
} as const satisfies Partial<ScheduleType>;

/** All built-in types, in the order in which messages list them. */
export const BUILT_IN_SCHEDULE_TYPES: readonly ScheduleType[] = [
  {
    ...LOAN_DEFAULTS,
    id: '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b101',
    code: 'EI',
    name: 'EqualInstallments',
    isWithEqualInstallments: true,
  },
  {
    ...LOAN_DEFAULTS,
    id: '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b102',
    code: 'EP',
    name: 'EqualPrincipal',
    isWithEqualInstallments: false,
  },
];
