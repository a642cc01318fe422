import { describe, expect, it } from 'vitest';
import { internalRateOfReturn } from '../../../../shared/lending/annual-rate/internal-rate-of-return.ts';
import { findPeriodicity, type Periodicity } from '../../../../shared/lending/dates/periodicity.ts';
import cases from '../../../cases/lending/internal-rate-of-return.json' with { type: 'json' };

function periodicity(name: string): Periodicity {
  const found = findPeriodicity(name);
  if (found === undefined) throw new Error(`unknown periodicity ${name}`);
  return found;
}

const LEVEL = [25_628, 25_628, 25_628, 25_628];

describe('internalRateOfReturn (A3)', () => {
  it.each(cases.map((known) => [known.id, known] as const))(
    'matches the published rate of %s',
    (_id, known) => {
      const [financed = 0, ...amounts] = known.input.flows.map((flow) => Math.round(flow * 100));
      const every = periodicity('period' in known.input ? 'Monthly' : 'Annual');
      const rate = Number(internalRateOfReturn(-financed, amounts, every)?.replace('%', '')) / 100;
      expect(Math.abs(rate - known.expected.value)).toBeLessThanOrEqual(known.tolerance.absolute + 5e-7);
    },
  );

  it('returns the periodic rate times the periods per year, as a string in percent with four decimals', () => {
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Monthly'))).toBe('11.9979%');
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Bimonthly'))).toBe('5.9990%');
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Quarterly'))).toBe('3.9993%');
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Annual'))).toBe('0.9998%');
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Weekly'))).toBe('51.9910%');
    expect(internalRateOfReturn(100_000, LEVEL, periodicity('Daily'))).toBe('364.9367%');
    const everyTenDays = { name: 'Every 10 days', count: 10, unit: 'Days' } as const;
    expect(internalRateOfReturn(100_000, LEVEL, everyTenDays)).toBe('36.4937%');
  });

  it('rounds a rate exactly on a rounding boundary away from zero', () => {
    expect(internalRateOfReturn(100_000_000, [112_000_050], periodicity('Annual'))).toBe('12.0001%');
    expect(internalRateOfReturn(100_000_000, [112_000_049], periodicity('Annual'))).toBe('12.0000%');
  });

  it('returns null if no rate exists (A4)', () => {
    expect(internalRateOfReturn(0, LEVEL, periodicity('Monthly'))).toBeNull();
    expect(internalRateOfReturn(-1, LEVEL, periodicity('Monthly'))).toBeNull();
    expect(internalRateOfReturn(100_000, [0, 0], periodicity('Monthly'))).toBeNull();
    expect(internalRateOfReturn(100_000, [], periodicity('Monthly'))).toBeNull();
    expect(internalRateOfReturn(100_000, [110_000], periodicity('Once'))).toBeNull();
  });
});
