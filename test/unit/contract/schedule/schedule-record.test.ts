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

function encodeAndDecode(payload: object): unknown {
  return payloadOf(codec.decode(atOnce(codec.encode(REPLY, payload, 'avro'))));
}

function bytesOf(payload: object): number {
  return atOnce(codec.encode(REPLY, payload, 'avro')).value.length;
}

describe('the Avro record of a schedule', () => {
  it('keeps the columns and explanations of rows (F4, S6)', () => {
    const rows = [
      { ...first, columns: [150, -5], explanation },
      { ...second, columns: [0, 9_007_199_254_740_990], explanation: [] },
    ];
    const payload = { ...schedule, extraColumns: ['Monthly fee', 'Stamp duty'], rows };
    expect(encodeAndDecode(payload)).toEqual(payload);
  });

  it('keeps the holiday calendar (H2)', () => {
    const payload = { ...schedule, calendar: { name: 'RO+TARGET', version: '2026.1' } };
    expect(encodeAndDecode(payload)).toEqual(payload);
  });

  it('does not add fields to a schedule without columns and explanations', () => {
    const decoded = encodeAndDecode(schedule) as RepaymentSchedule;
    expect(decoded.extraColumns).toBeUndefined();
    expect(decoded.rows.some((row) => 'columns' in row || 'explanation' in row)).toBe(false);
  });

  it('does not add bytes to rows without explanations', () => {
    const many = { ...schedule, rows: Array.from({ length: 100 }, () => first) };
    const explained = { ...many, rows: many.rows.map((row) => ({ ...row, explanation: [] })) };
    expect(bytesOf(explained) - bytesOf(many)).toBe(2 + 100 + 1);
  });

  it.each([
    ['one row has no column', { extraColumns: ['Fee'], rows: [{ ...first, columns: [1] }, second] }],
    ['a row has too many columns', { extraColumns: ['Fee'], rows: [{ ...first, columns: [1, 2] }] }],
    ['columns have no names', { rows: [{ ...first, columns: [1] }] }],
    ['one row is not explained', { rows: [{ ...first, explanation }, second] }],
  ])('cannot be created if %s', (_case, changes) => {
    expect(() => codec.encode(REPLY, { ...schedule, ...changes }, 'avro')).toThrow(Error);
  });
});
