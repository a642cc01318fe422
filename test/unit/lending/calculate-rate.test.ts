import { describe, expect, it } from 'vitest';
import { proveRate } from '../../../shared/lending/annual-rate/discounted-flows.ts';
import { calculateRate } from '../../../shared/lending/calculate-rate.ts';
import { addMonths } from '../../../shared/lending/dates/calendar-date.ts';
import type { RateRequest } from '../../../shared/lending/request/rate-request.ts';
import { date, decimal } from '../../support/builders/lending-loan.ts';
import { amounts, cashFlows, rateOf } from '../../support/builders/rate-flows.ts';

function faultsOf(request: RateRequest): readonly string[] {
  const outcome = calculateRate(request);
  if (outcome.kind === 'rate') throw new Error('the rate was calculated');
  return outcome.faults.map((fault) => `${fault.status} ${fault.path} ${fault.code}`);
}

const irrOf = (...flows: readonly number[]) =>
  rateOf({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(...flows) });

const LOAN = cashFlows(['2013-01-12', -1000], ['2013-02-15', '510.50'], ['2013-04-30', 520]);

describe('calculateRate (A6)', () => {
  it('returns a proof of a DAE with the discounted amount of each flow', () => {
    const { rate, proof, residual } = rateOf({ Rule: 'DAE', CashFlows: LOAN });
    expect(rate).toBe('16.6130442615');
    const lines = proof.map((line) => [line.date, line.amount, line.years, line.discountedAmount]);
    expect(lines).toEqual([
      [date('2013-01-12'), '-1000', '0.00000000000000000000', '-1000.00000000000'],
      [date('2013-02-15'), '510.5', '0.09153005464480874317', '503.36889765002'],
      [date('2013-04-30'), '520', '0.29918032786885245902', '496.63110234999'],
    ]);
    expect(residual).toBe('0.00000000001');
  });

  it('proves no rate without decimals, which would be read as a hundredth', () => {
    const terms = { flows: [], unitsPerYear: 1, periodsPerYear: { numerator: 1n, denominator: 1n } };
    expect(() => proveRate(terms, '12')).toThrow(new RangeError('the rate 12 must have decimals'));
  });

  it('counts DAE intervals in months by default, and in the given Unit otherwise', () => {
    const paid = cashFlows(['2024-12-31', -100], ['2025-02-28', 50], ['2025-03-30', 60]);
    const years = (Unit?: string) =>
      rateOf({ Rule: 'DAE', Unit, CashFlows: paid }).proof.map((line) => line.years.slice(0, 12));
    expect(years()).toEqual(['0.0000000000', '0.1666666666', '0.2486338797']);
    expect(years('months')).toEqual(years());
    expect(years('WEEKS')).toEqual(['0.0000000000', '0.1620428751', '0.2444304329']);
    expect(years('Years')).toEqual(['0.0000000000', '0.1612021857', '0.2438356164']);
    expect(years('Days')).toEqual(years('Years'));
  });

  it('includes costs paid before the first drawdown in a DAE, at a negative time', () => {
    // European Commission, "Examples for the calculation of the APRC" (2015), example 43: 8.269278 %.
    const drawdown = date('2015-01-15');
    const payments = Array.from({ length: 120 }, (_, month) => ({
      Date: addMonths(drawdown, month + 1),
      Amount: decimal('356.11'),
    }));
    const atDrawdown = cashFlows(['2015-01-15', -30_000], ['2015-01-15', 450]);
    const CashFlows = [...payments, ...atDrawdown, ...cashFlows(['2014-01-15', 150])];
    const { rate, proof, residual } = rateOf({ Rule: 'DAE', CashFlows });
    expect(Number(rate).toFixed(6)).toBe('8.269278');
    expect(proof.at(-1)).toEqual({
      date: date('2014-01-15'),
      amount: '150',
      years: '-1.00000000000000000000',
      discountedAmount: '162.403916738700',
    });
    expect(Math.abs(Number(residual))).toBeLessThan(1e-6);
    const early = cashFlows(['2014-01-12', 150], ['2013-11-30', 20], ['2014-12-30', 5]);
    expect(rateOf({ Rule: 'DAE', CashFlows: [...payments, ...atDrawdown, ...early] }).rate).toBe(
      '8.2919991759',
    );
  });

  it('skips flows of zero, in any order and place, and proves them as zero', () => {
    const zeros = cashFlows(['2012-01-31', 0], ['2013-01-12', 0], ['2013-03-01', 0], ['2015-01-01', 0]);
    for (const Rule of ['XIRR', 'DAE']) {
      const plain = rateOf({ Rule, CashFlows: LOAN });
      for (const CashFlows of [zeros.concat(LOAN), LOAN.concat(zeros)]) {
        const { rate, proof, residual } = rateOf({ Rule, CashFlows });
        expect([rate, residual]).toEqual([plain.rate, plain.residual]);
        expect(proof.filter(({ amount }) => amount !== '0')).toEqual(plain.proof);
        const proofs = proof.filter(({ amount }) => amount === '0');
        expect(proofs.map((line) => Number(line.discountedAmount))).toEqual([0, 0, 0, 0]);
      }
    }
    const skipped = irrOf(0, 0, -1000, 0, 600, 500, 0);
    const { rate, proof, residual } = irrOf(-1000, 0, 600, 500);
    expect([skipped.rate, skipped.residual]).toEqual([rate, residual]);
    expect(skipped.proof.slice(2, 6)).toEqual(proof);
    expect(skipped.proof.map(({ years }) => Number(years) * 12)).toEqual([-2, -1, 0, 1, 2, 3, 4]);
    expect(faultsOf({ Rule: 'XIRR', CashFlows: zeros })).toEqual(['422 CashFlows one-sign']);
  });

  it('multiplies the periodic rate of an IRR by the periods of a year', () => {
    const Amounts = amounts(-1000, '256.28', '256.28', '256.28', '256.28');
    const { rate, proof, residual } = rateOf({ Rule: 'IRR', PeriodicityType: 'monthly', Amounts });
    expect(rate).toBe('11.9979203288');
    expect(proof.map((line) => line.date)).toEqual([null, null, null, null, null]);
    expect(proof[4]?.years).toBe('0.33333333333333333333');
    expect(proof[4]?.discountedAmount).toBe('246.281733059334');
    expect(residual).toBe('-0.000000000019');
    const everyTenDays = { name: 'Every 10 days', count: 10, unit: 'Days' } as const;
    const outcome = calculateRate({ Rule: 'IRR', PeriodicityType: 'every 10 days', Amounts }, [everyTenDays]);
    const periods = [{}, { years: '0.02739726027397260274' }, {}, {}, {}];
    expect(outcome).toMatchObject({ rate: '36.4936743334', proof: periods });
  });

  it('returns the rate nearest to zero if there are several, and null without a proof if no rate exists (A4)', () => {
    const several = cashFlows(['2025-01-01', -100], ['2026-01-01', 230], ['2027-01-01', -132]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: several }).rate).toBe('10.0000000000');
    const none = cashFlows(['2025-01-01', -100], ['2026-01-01', 200], ['2027-01-01', -300]);
    const answer = { kind: 'rate', rate: null, proof: [], residual: null, warnings: [] };
    expect(rateOf({ Rule: 'XIRR', CashFlows: none })).toEqual(answer);
    const sameDay = cashFlows(['2025-01-01', -1], ['2025-01-01', 2]);
    expect(rateOf({ Rule: 'XIRR', CashFlows: sameDay }).rate).toBeNull();
  });

  it('returns null discounted amounts if the rate rounds to -100 percent', () => {
    const lost = cashFlows(['2025-01-01', -1_000_000], ['2025-01-02', '0.01']);
    const { rate, proof, residual } = rateOf({ Rule: 'XIRR', CashFlows: lost });
    expect(rate).toBe('-100.0000000000');
    expect(proof.map((line) => line.discountedAmount)).toEqual(['-1000000.000000000000', null]);
    expect(residual).toBeNull();
  });
});

const CROSSED = cashFlows(['2025-01-02', -100], ['2025-01-01', 5], ['2024-12-31', 0], ['2025-02-01', 100]);
const BEYOND = cashFlows(['2025-01-01', '-1000000000000000.1'], ['2025-02-01', '1e-19'], ['2025-03-01', 1]);
const irr = (...flows: readonly number[]) =>
  ({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: amounts(...flows) }) as const;
const xirr = (...flows: readonly number[]) => {
  const dated = flows.map((amount, month) => [`2025-0${month + 1}-01`, amount] as const);
  return { Rule: 'XIRR', CashFlows: cashFlows(...dated) };
};

describe('calculateRate with invalid requests (A6)', () => {
  it.each<[RateRequest, ...string[]]>([
    [{ Rule: 'APR', Unit: 'Hours', CashFlows: LOAN }, '422 Rule unknown-value', '422 Unit unknown-value'],
    [{ Rule: 'DAE' }, '400 CashFlows missing'],
    [{ Rule: 'IRR' }, '400 PeriodicityType missing', '400 Amounts missing'],
    [
      { ...irr(-1, 2), PeriodicityType: 'Once', CashFlows: LOAN },
      '400 CashFlows exclusive',
      '422 PeriodicityType not-allowed',
    ],
    [
      { Rule: 'XIRR', PeriodicityType: 'Monthly', Amounts: [], CashFlows: LOAN },
      '400 PeriodicityType exclusive',
      '400 Amounts exclusive',
    ],
    [{ ...irr(-1, 2), PeriodicityType: 'Fortnightly' }, '422 PeriodicityType unknown-periodicity'],
    [xirr(1, 1), '422 CashFlows one-sign'],
    [xirr(-1, 0), '422 CashFlows one-sign'],
    [xirr(-1), '422 CashFlows out-of-range'],
    [irr(-1, -2), '422 Amounts one-sign'],
    [irr(1), '422 Amounts out-of-range'],
    [irr(-1, ...Array.from({ length: 5000 }, () => 1)), '422 Amounts out-of-range'],
    [irr(1e15, -1e15), '422 Amounts[0] out-of-range'],
    [{ Rule: 'XIRR', CashFlows: CROSSED }, '422 CashFlows[1].Date date-order'],
    [irr(1, -2), '422 Amounts[0] out-of-range'],
    [irr(0, 0, 1, -2), '422 Amounts[2] out-of-range'],
    [
      { Rule: 'DAE', CashFlows: BEYOND },
      '422 CashFlows[0].Amount amount-too-large',
      '422 CashFlows[1].Amount too-many-decimals',
    ],
  ])('refuses %j', (request, ...faults) => {
    expect(faultsOf(request)).toEqual(faults);
  });

  it('warns about a Unit that the rule ignores (E5)', () => {
    const { warnings } = rateOf({ Rule: 'XIRR', Unit: 'Weeks', CashFlows: LOAN });
    expect(warnings).toEqual([{ code: 'no-effect', path: 'Unit' }]);
  });
});
