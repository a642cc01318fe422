/** The request that proves an effective rate of a schedule: its payments, and what is paid out at the start. */
import { costsAtStart, exactSum, type ShownSchedule } from './schedule.ts';

/** With insurances by the directives (A1), or without them by actual days (A2). */
export type EffectiveRate = 'dae' | 'eir';

/** Decimals of the rates of a schedule. */
const RATE_DECIMALS = 4;
const DAY_LENGTH = 10;
/** Units of time of a DAE, by periodicity (A1); months for all others. */
const UNITS: Readonly<Record<string, string>> = {
  Weekly: 'Weeks',
  Biweekly: 'Weeks',
  Annual: 'Years',
  Yearly: 'Years',
  Daily: 'Years',
};

/** The terms of the rate; undefined if the schedule does not state when the loan starts. */
export function rateTerms(rate: EffectiveRate, schedule: ShownSchedule) {
  const { rows, terms } = schedule;
  const { Amount: amount, LastDueDate: settled, ActivationDate: activated } = terms;
  const start = settled ?? activated;
  if (typeof start !== 'string' || typeof amount !== 'number') return undefined;
  const unit = UNITS[String(terms['PeriodicityType'])] ?? 'Months';
  return {
    ...(rate === 'dae' ? { Rule: 'DAE', Unit: unit } : { Rule: 'XIRR' }),
    CashFlows: [
      { Date: start, Amount: exactSum([costsAtStart(schedule), -amount]) },
      ...rows.map((row) => ({
        Date: row.DueDate.slice(0, DAY_LENGTH),
        Amount:
          rate === 'dae' ? row.totalInstallment : exactSum([row.totalInstallment, -(row.insurance ?? 0)]),
      })),
    ],
  };
}

/** Whether a recalculated rate is that of the schedule. */
export function provesRate(recalculated: number | null, shown: number | undefined): boolean {
  return recalculated !== null && shown?.toFixed(RATE_DECIMALS) === recalculated.toFixed(RATE_DECIMALS);
}
