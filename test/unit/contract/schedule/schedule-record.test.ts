import { describe, expect, it } from 'vitest';
import type { RepaymentSchedule } from '../../../../shared/lending/request/repayment-schedule.ts';
import { atOnce, codecOf, payloadOf, REPLY, schedule } from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const [first, second] = schedule.rows;
const explanation = [
  {
    figure: 'interest',
    amount: 1_000,
    days: 30,
    basis: 360,
    dayCount: '30/360',
    rates: ['12'],
    base: 100_000,
  },
  { figure: 'principal', amount: 24_628 },
].map((figure) => ({ ...figure, formula: 'payment 256.28 - interest 10.00 = 246.28' }));

function thereAndBack(payload: object): unknown {
  return payloadOf(codec.decode(atOnce(codec.encode(REPLY, payload, 'avro'))));
}

function bytesOf(payload: object): number {
  return atOnce(codec.encode(REPLY, payload, 'avro')).value.length;
}

describe('what rows hold beside their figures', () => {
  it('comes back in its rows: additional columns and explanations (F4, S6)', () => {
    const rows = [
      { ...first, columns: [150, -5], explanation },
      { ...second, columns: [0, 9_007_199_254_740_990], explanation: [] },
    ];
    const payload = { ...schedule, extraColumns: ['Monthly fee', 'Stamp duty'], rows };
    expect(thereAndBack(payload)).toEqual(payload);
  });

  it('comes back with the calendar that moved the dates (H2)', () => {
    const payload = { ...schedule, calendar: { name: 'RO+TARGET', version: '2026.1' } };
    expect(thereAndBack(payload)).toEqual(payload);
  });

  it('leaves no member behind in a schedule without any', () => {
    const decoded = thereAndBack(schedule) as RepaymentSchedule;
    expect(decoded.extraColumns).toBeUndefined();
    expect(decoded.rows.some((row) => 'columns' in row || 'explanation' in row)).toBe(false);
  });

  it('costs the rows of a schedule without any nothing', () => {
    const many = { ...schedule, rows: Array.from({ length: 100 }, () => first) };
    const explained = { ...many, rows: many.rows.map((row) => ({ ...row, explanation: [] })) };
    expect(bytesOf(explained) - bytesOf(many)).toBe(2 + 100 + 1);
  });

  it.each([
    ['one row has no column', { extraColumns: ['Fee'], rows: [{ ...first, columns: [1] }, second] }],
    ['a row has too many columns', { extraColumns: ['Fee'], rows: [{ ...first, columns: [1, 2] }] }],
    ['columns have no names', { rows: [{ ...first, columns: [1] }] }],
    ['one row is not explained', { rows: [{ ...first, explanation }, second] }],
  ])('is not lost unnoticed where %s: that is a bug', (_case, changes) => {
    expect(() => codec.encode(REPLY, { ...schedule, ...changes }, 'avro')).toThrow(Error);
  });
});
