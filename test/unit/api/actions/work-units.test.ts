import { expect, it } from 'vitest';
import { findAction } from '../../../../shared/api/actions/actions.ts';
import { callsOf } from '../../../../shared/lending/work-units.ts';
import { MAX_BATCH_REPLY_BYTES } from '../../../../shared/messaging/codec/request-batch.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { allTopicSpecs } from '../../../../shared/messaging/topics/topic-list.ts';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import { commissions, EXPENSIVE_REQUESTS, EXPLAINED_LOAN } from '../../../support/expensive-requests.ts';
import { date, decimal, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';

function callsOfCall(jsonParam: object, name = 'PLAT_BP_CalculateRepaymentSchedule') {
  return callsOfBody({ jsonParam }, name);
}

function callsOfBody(body: object, name: string): number {
  const action = findAction(name);
  const read = action?.read(body);
  if (read?.kind !== 'valid') throw new Error(`not a request: ${JSON.stringify(read)}`);
  return callsOf(action?.units?.(read.payload) ?? 0);
}

it('the size of a reply (E6) is limited by that of messages, beyond which the engine refuses Explain', () => {
  const limits = allTopicSpecs('', []).map(({ config }) => config?.['max.message.bytes']);
  expect(new Set(limits)).toEqual(new Set([String(MAX_BATCH_REPLY_BYTES)]));
  const fee = { FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01'), FeeName: 'Service' };
  const Commission = Array.from({ length: 50 }, () => ({ ...fee, SourceValue: decimal(1) }));
  const request = loan({ InstallmentsNo: 12, Commission, Explain: true });
  const outcome = (maxReplyBytes: number) =>
    calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, maxReplyBytes });
  expect(outcome(100_000).kind).toBe('schedule');
  expect(outcome(10_000)).toMatchObject({
    kind: 'refused',
    faults: [{ path: 'Explain', code: 'reply-too-large', message: expect.stringContaining('10000 bytes') }],
  });
});

const flows = (count: number) => ({
  Rule: 'IRR',
  PeriodicityType: 'Monthly',
  Amounts: Array.from({ length: count }, (_, index) => (index === 0 ? -1_000 : 12)),
});

it.each([
  ['a loan of 360 installments', { ...EXPLAINED_LOAN, InstallmentsNo: 360, Explain: false }],
  ['a loan of 1,200 installments', { ...EXPLAINED_LOAN, Explain: false }],
  [
    '60 installments with three explained commissions',
    { ...EXPLAINED_LOAN, InstallmentsNo: 60, Commission: commissions(3) },
  ],
])('the work of a request (E6) is 1 for %s', (_, jsonParam) => {
  expect(callsOfCall(jsonParam)).toBe(1);
});

it.each(Object.entries(EXPENSIVE_REQUESTS))(
  'is between 20 and 100, a second of the rate limit, for %s',
  (_, jsonParam) => {
    const weight = callsOfCall(jsonParam);
    expect(weight).toBeGreaterThan(20);
    expect(weight).toBeLessThanOrEqual(100);
  },
);

it('the work of a request (E6) is larger for a rate of 5,000 flows and a simulation with 1,200 rates', () => {
  expect(callsOfCall(flows(100), 'PLAT_BP_CalculateRate')).toBe(1);
  expect(callsOfCall(flows(5_000), 'PLAT_BP_CalculateRate')).toBeGreaterThan(10);
  const terms = { productCode: 'PL', amount: 1_000, loanPeriod: 1_200, scheduleType: 'EqualInstallments' };
  const jsonMultipleInterestRates = Array.from({ length: 1_200 }, (_, at) => ({
    FromInstNo: at + 1,
    ToInstNo: at + 1,
    InterestRate: 5,
  }));
  const interestType = INTEREST_OPTION_IDS.Collection;
  const name = 'PLAT_BP_Simulate';
  expect(callsOfBody({ ...terms, loanPeriod: 300 }, name)).toBe(1);
  const sent = { ...terms, interestType, jsonMultipleInterestRates };
  expect(callsOfBody(sent, name)).toBeGreaterThan(20);
});

it.each([
  [12, [], 6],
  [360, [], 31],
  [1_200, [], 93],
  [12, [4_000, 4_000, 4_000, 4_000, 4_000], 26],
])(
  'the work of a PDF (E6) grows with %d rows and entries of %j characters: %d calls',
  (loanPeriod, lengths, calls) => {
    const terms = { productCode: 'PL', amount: 1_000, loanPeriod, scheduleType: 'EqualInstallments' };
    const Entries = lengths.map((length, at) => ({ Point: String(at), Text: 'x\n'.repeat(length / 2) }));
    const body = { ...terms, Entries, Format: 'pdf' };
    expect(callsOfBody(body, 'PLAT_BP_CreateOfferDocument')).toBe(calls);
  },
);
