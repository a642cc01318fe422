import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Picks } from '../support/random/pick.ts';

const SEED = 20_260_501;
/** Start date of contracts without dates (D2). */
export const AS_OF = '2026-05-01';
const DAY_MS = 86_400_000;
const LATEST_START_MS = Date.UTC(2026, 0, 1);
const DAYS_BACK = 3_000;
const NUMBERED_EVERY = 7;
/** One contract in this number includes its previous schedule; one in each would make the file a hundred times larger. */
const FORMER_EVERY = 100;

function contractId(index: number): string | number {
  return index % NUMBERED_EVERY === 0 ? index + 1 : `C-${String(index + 1).padStart(7, '0')}`;
}

/** Terms that can be calculated without a catalogue. Some have no dates: a resumed run must keep those of its start (D2). */
function termsOf(index: number) {
  const picks = new Picks(Math.imul(SEED, 1_000_003) + index);
  const InstallmentsNo = picks.whole(12, 360);
  const type = picks.of(
    'EqualInstallments',
    'EqualInstallments',
    'EqualPrincipal',
    'InterestOnly',
    'Balloon',
  );
  const amount = picks.whole(1_000, 500_000);
  const startMs = LATEST_START_MS - picks.whole(0, DAYS_BACK) * DAY_MS;
  const fee = { FeeName: 'Administration', FeePeriodicityType: 'Annual', FeeDate: '2018-01-01' };
  const insurance = {
    InsuranceName: 'Life',
    InsurancePeriodicityType: 'Annual',
    InsuranceDate: '2018-01-01',
  };
  return {
    ScheduleType: type,
    Amount: amount,
    InstallmentsNo,
    // Long loans are scheduled by month only.
    PeriodicityType: InstallmentsNo > 120 ? 'Monthly' : picks.of('Monthly', 'Quarterly', 'Semestrial'),
    InstallmentDay: picks.whole(1, 31),
    InterestPercent: picks.whole(100, 24_999) / 1_000,
    ...(picks.chance(90) ? { ActivationDate: new Date(startMs).toISOString().slice(0, 10) } : {}),
    ...(type === 'Balloon' ? { ResidualValue: Math.floor(amount / 5) } : {}),
    ...(picks.chance(40)
      ? { InterestCalculationMethod: picks.of('30/360', 'Actual/365', 'Actual/Actual') }
      : {}),
    ...(picks.chance(25)
      ? { HolidayShift: true, HolidayCountry: 'RO+TARGET', HolidayMethod: 'Forward' }
      : {}),
    ...(picks.chance(35) ? { Commission: [{ ...fee, SourceValue: picks.whole(0, 50) }] } : {}),
    ...(picks.chance(15) ? { Insurance: [{ ...insurance, SourceValue: picks.whole(1, 200) }] } : {}),
    ...(picks.chance(15) ? { GracePeriodPrincipal: picks.whole(1, 6) } : {}),
    ...(picks.chance(30) ? { CalculateDAE: picks.of(0, 2) } : {}),
  };
}

export async function writePortfolio(file: string, contracts: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0; index < contracts; index += 1) {
    const jsonParam = termsOf(index);
    const { Amount } = jsonParam;
    const row = { InstallmentNo: 1, principal: Amount, interest: 0, totalInstallment: Amount };
    const schedule = index % FORMER_EVERY === 0 ? [row] : undefined;
    const line = JSON.stringify({ id: contractId(index), jsonParam, schedule });
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}
