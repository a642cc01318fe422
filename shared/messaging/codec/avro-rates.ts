/**
 * The annual rates of a schedule have three states: not asked for (undefined), asked for but without a value (null),
 * or a percentage as text (A1, A2, A5). Avro has one null for the first two; the member `show` tells them apart.
 */

import type { RepaymentSchedule, ShownParts } from '../../lending/request/repayment-schedule.ts';

type Rates = Pick<RepaymentSchedule, 'dae' | 'eir'>;

const ASKED_FOR: Readonly<Record<keyof Rates, readonly ShownParts[]>> = {
  dae: ['dae', 'rows-with-dae'],
  eir: ['rows-with-eir'],
};

/** Throws when the schedule holds a rate that its `show` does not ask for, or lacks one that it does: that is a bug. */
export function assertRatesMatchShow(schedule: RepaymentSchedule): void {
  for (const rate of ['dae', 'eir'] as const) {
    if ((schedule[rate] !== undefined) !== ASKED_FOR[rate].includes(schedule.show)) {
      throw new Error(`a schedule that shows ${schedule.show} has ${rate} ${String(schedule[rate])}`);
    }
  }
}

/** Makes a rate that was asked for and is absent null again, in place. */
export function restoreRates(schedule: RepaymentSchedule): void {
  const rates = schedule as { -readonly [Rate in keyof Rates]: Rates[Rate] };
  for (const rate of ['dae', 'eir'] as const) {
    if (rates[rate] === undefined && ASKED_FOR[rate].includes(schedule.show)) rates[rate] = null;
  }
}
