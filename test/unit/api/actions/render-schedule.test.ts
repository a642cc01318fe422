import { expect, test } from 'vitest';
import { repaymentScheduleReply } from '../../../../shared/api/actions/schedule-action.ts';
import { renderRepaymentSchedule } from '../../../../shared/api/actions/render-schedule.ts';
import { toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import type {
  FigureExplanation,
  RepaymentSchedule,
  ScheduleRow,
} from '../../../../shared/lending/request/repayment-schedule.ts';

const ROW: ScheduleRow = {
  InstallmentNo: 1,
  dueDate: toCalendarDate(2024, 2, 1),
  noDays: 31,
  installmentTypeId: 'type-1',
  remainingValue: 10_000,
  pmt: 1_701,
  interest: 58,
  principal: 1_643,
  managementFee: 0,
  totalInstallment: 1_701,
  isEarlyRepayment: false,
};
const SCHEDULE: RepaymentSchedule = {
  casing: 'lower',
  show: 'rows-with-dae',
  currencyDigits: 2,
  scheduleTypeId: 'schedule-1',
  startDate: toCalendarDate(2024, 1, 1),
  rows: [ROW],
  dae: '7.2239',
  warnings: [],
};
const CAPITALISED = { casing: 'capitalised', show: 'rows-with-eir', eir: null } as const;
const render = (changes: Partial<RepaymentSchedule>) => renderRepaymentSchedule({ ...SCHEDULE, ...changes });
const withRow = (changes: Partial<ScheduleRow>) => render({ rows: [{ ...ROW, ...changes }] });

test('lower case uses the order of the interface, dates without Z, and escaped ids (A5, D1)', () => {
  expect(render({})).toBe(
    '[{"InstallmentNo":1,"DueDate":"2024-02-01T00:00:00","NoDays":31,"InstallmentTypeId":"type-1",' +
      '"remainingValue":100.00,"pMT":17.01,"interest":0.58,"principal":16.43,"managementFee":0.00,' +
      '"totalInstallment":17.01,"dae":7.2239,"ScheduleTypeId":"schedule-1","isEarlyRepayment":"false"}]',
  );
  expect(JSON.parse(render({ scheduleTypeId: 'a"b' }))).toMatchObject([{ ScheduleTypeId: 'a"b' }]);
});

test('columns come before the total in both spellings (F4), and a prepayment is marked (X3)', () => {
  const rows = [{ ...ROW, insurance: 0, columns: [150, -5] }];
  const extraColumns = ['Monthly fee', 'A "b"'];
  const expected = '"insurance":0.00,"Monthly fee":1.50,"A \\"b\\"":-0.05,"totalInstallment":17.01';
  expect(render({ rows, extraColumns })).toContain(expected);
  const capitalised = render({ ...CAPITALISED, rows, extraColumns });
  expect(JSON.parse(capitalised)).toMatchObject([{ 'Monthly fee': 1.5, 'A "b"': -0.05 }]);
  expect(repaymentScheduleReply.safeParse(JSON.parse(capitalised)).success).toBe(true);
  expect(repaymentScheduleReply.safeParse(JSON.parse(render({ rows, extraColumns }))).success).toBe(true);
  expect(JSON.parse(withRow({ isEarlyRepayment: true }))).toMatchObject([{ isEarlyRepayment: 'true' }]);
});

test('what a prepayment overpays is a member of its row in both spellings (X3)', () => {
  const rows = [ROW, { ...ROW, isEarlyRepayment: true, overpaid: 628 }];
  const [lower, capitalised] = [render({ rows }), render({ ...CAPITALISED, rows })];
  expect(lower).toContain('"totalInstallment":17.01,"overpaid":6.28,"dae":7.2239,');
  expect(capitalised).toContain('"TotalInstallment":17.01,"Overpaid":6.28,"EIR":null,');
  expect(lower.match(/overpaid/g)).toHaveLength(1);
  for (const text of [lower, capitalised])
    expect(repaymentScheduleReply.safeParse(JSON.parse(text)).success).toBe(true);
});

const days = { days: 30, basis: 360, dayCount: '30/360', rates: ['7', '6.50'], base: 10_000 };
const explanation = [
  {
    figure: 'interest',
    amount: 58,
    ...days,
    formula: '60.00 * 7 % * 30/360 + 40.00 * 6.50 % * 30/360 = 0.58',
  },
  { figure: 'pmt', amount: 1_701, formula: 'interest 0.58 + principal 16.43 = 17.01' },
  { figure: 'managementFee', name: 'Fee \u0219', amount: 0, formula: 'no charge: 0.00' },
] as const satisfies readonly FigureExplanation[];

test('explanations are at the end of the row and name figures as the row does (S6, Explain)', () => {
  const text = withRow({ explanation });
  expect(text).toContain(
    ',"isEarlyRepayment":"false","explanation":[{"figure":"interest","amount":0.58,"days":30,"basis":360,' +
      '"dayCount":"30/360","rates":[7,6.50],"base":100.00,"formula":',
  );
  expect(JSON.parse(text)).toMatchObject([
    { explanation: [{}, { figure: 'pMT' }, { figure: 'managementFee', name: 'Fee \u0219' }] },
  ]);
  expect(repaymentScheduleReply.safeParse(JSON.parse(text)).success).toBe(true);
});

test('explanations have capitalised fields in that spelling, and names of figures to come', () => {
  const rows = [{ ...ROW, explanation }];
  const text = render({ ...CAPITALISED, rows });
  const Explanation = [
    { Figure: 'Interest', Amount: 0.58, Days: 30, Basis: 360, DayCount: '30/360', Rates: [7, 6.5] },
    { Figure: 'PMT', Formula: 'interest 0.58 + principal 16.43 = 17.01' },
    { Figure: 'ManagementFee', Name: 'Fee \u0219' },
  ];
  expect(JSON.parse(text)).toMatchObject([{ Explanation }]);
  expect(repaymentScheduleReply.safeParse(JSON.parse(text)).success).toBe(true);
  const later = { ...explanation[1], figure: 'tax' } as unknown as FigureExplanation;
  expect(withRow({ explanation: [later] })).toContain('[{"figure":"tax"');
});

test.each([{ amount: 0.5 }, { base: 2 ** 53 }, { rates: ['1e3'] }])('explanations throws on %o', (wrong) => {
  expect(() => withRow({ explanation: [{ ...explanation[0], ...wrong }] })).toThrow(RangeError);
});

test.each([
  [1_700, 2, '17.00'],
  [-5, 2, '-0.05'],
  [0, 2, '0.00'],
  [1_701, 0, '1701'],
  [1_701, 3, '1.701'],
  [7, 10, '0.0000000007'],
  [Number.MAX_SAFE_INTEGER, 2, '90071992547409.91'],
  [-Number.MAX_SAFE_INTEGER, 0, '-9007199254740991'],
])('amounts (M1, M2) %d minor units with %d digits are written as %s', (minor, currencyDigits, text) => {
  expect(render({ currencyDigits, rows: [{ ...ROW, pmt: minor }] })).toContain(`"pMT":${text},`);
});

test.each([0.5, Number.NaN, 2 ** 53])('amounts (M1, M2) throws on the amount %d', (amount) => {
  expect(() => withRow({ interest: amount })).toThrow(RangeError);
});

test.each(['', 'NaN', '1e5', '7,5', '07.5', '1"'])('amounts (M1, M2) throws on the rate %j', (dae) => {
  expect(() => render({ dae })).toThrow(RangeError);
  expect(() => render({ dae, rows: [] })).toThrow(RangeError);
});
