/** Strings of any length, empty names, long lists, distant dates and items without one source reached the calculation in Avro. */

import { describe, expect, it } from 'vitest';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { Request } from '../../shared/messaging/handler/request.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { checkedHandlers } from '../../workers/runtime/catalogue-worker.ts';
import { createScheduleHandlers } from '../../workers/schedule/schedule-calculations.ts';
import { BUILT_IN_ENVIRONMENT } from '../support/builders/lending-environment.ts';
import { date, decimal, loan } from '../support/builders/lending-loan.ts';

const handlers = checkedHandlers(createScheduleHandlers(BUILT_IN_ENVIRONMENT), {
  lending: BUILT_IN_ENVIRONMENT.catalogue,
});
const handle = handlers['CalculateRepaymentScheduleRequest']!;
const codec = createMessageCodec({ shapes: {}, clock: { now: () => 0 } });
const TOO_MANY = Array.from({ length: 1_201 }, () => ({}));
const FEE = { FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01'), FeeName: 'Service' } as const;

async function faultsOf(changes: Partial<RepaymentScheduleRequest>) {
  const message = await codec.encode('CalculateRepaymentScheduleRequest', loan(changes), 'avro');
  const decoded = await codec.decode(message);
  if (decoded.kind !== 'decoded') throw new Error(decoded.problem.detail);
  const outcome = await handle(decoded.payload, { originTimestampMs: 0, format: decoded.format } as Request);
  if (outcome.kind !== 'refused') return outcome.kind;
  const { code, errors = [] } = outcome.problem;
  return [code, ...errors.map((fault) => `${fault.path} ${fault.code}`)];
}

describe('a request in Avro', () => {
  const refused: readonly (readonly [string, Partial<RepaymentScheduleRequest>])[] = [
    ['ActivationDate invalid-date', { ActivationDate: 2_000_000_000 as CalendarDate }],
    ['ActivationDate invalid-date', { ActivationDate: -2_000_000_000 as CalendarDate }],
    ['MaturityDate invalid-date', { MaturityDate: 400_000 as CalendarDate }],
    ['ExpiryDateForOD invalid-date', { ExpiryDateForOD: -30_000 as CalendarDate }],
    ['HolidayCountry empty', { HolidayCountry: '' }],
    ['HolidayCountry too-long', { HolidayCountry: 'x'.repeat(201) }],
    ['InterestCalculationMethod too-long', { InterestCalculationMethod: `a${' '.repeat(400_000)}b` }],
    ['MultipleInterestRates too-many-items', { MultipleInterestRates: TOO_MANY }],
    ['Commission[0].SourceValue mutually-exclusive', { Commission: [FEE] }],
    [
      'Commission[0].FeeDate invalid-date',
      { Commission: [{ ...FEE, SourceValue: decimal(1), FeeDate: 400_000 as CalendarDate }] },
    ],
    ['InterestPercent missing', { InterestPercent: undefined }],
  ];

  it.each(refused)('is refused for %s as in JSON', async (fault, changes) => {
    expect(await faultsOf(changes)).toEqual(['invalid-request', `jsonParam.${fault}`]);
  });

  it('is refused with all of its faults', async () => {
    expect(await faultsOf({ HolidayCountry: '', InstallmentDay: 40, ProductType: 'CC' })).toEqual([
      'invalid-request',
      'jsonParam.HolidayCountry empty',
      'jsonParam.ProductType product-type-mismatch',
      'jsonParam.InstallmentDay out-of-range',
    ]);
  });

  it('is calculated at the limits', async () => {
    const InterestCalculationMethod = '30/360'.padEnd(200);
    expect(await faultsOf({ InterestCalculationMethod, ExpiryDateForOD: date('2999-12-31') })).toBe('done');
    expect(await faultsOf({ Commission: [], StartDateForUnusage: date('1900-01-01') })).toBe('done');
  });
});
