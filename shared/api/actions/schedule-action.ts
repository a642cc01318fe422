/** `PLAT_BP_CalculateRepaymentSchedule`: which fields go together, and the answer's two spellings (2.1, A5, F4, M3). */

import { z } from 'zod';
import type { Casing, RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import { wholeNumber } from '../../platform/json-kinds.ts';
import { EXPLAINED_FIGURES, spelled, renderRepaymentSchedule } from './render-schedule.ts';
import { CHARGE_NAMES } from '../../lending/charges/charge-input.ts';
import { describeNoName } from '../../lending/charges/catalogue-match.ts';
import { sourceFault } from '../../lending/charges/requested-charge-price.ts';
import { NO_RATE } from '../../lending/terms/rate-ranges.ts';
import { findScheduleFaults } from '../../lending/terms/validate-schedule-request.ts';
import { scheduleUnits } from '../../lending/work-units.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { Fault } from '../../platform/problem.ts';
import { asWritten, csvText } from '../json/csv-rows.ts';
import { defineAction } from '../json/action-definition.ts';
import { isAbsent, isRecord, shapeFault, topField } from '../json/faults.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import examples from './schedule-examples.json' with { type: 'json' };
import { repaymentScheduleFields } from './schedule-request-fields.ts';
import TEXTS from './field-texts.json' with { type: 'json' };
import { described } from '../json/field-kinds.ts';

const rate = (meaning: string, presence = '') =>
  z.number().nullable().describe(`${meaning} in percent, four decimals; null when none exists${presence}.`);

/** Declares a field that a kind of row lacks, so that generated clients, which try each kind, reject wrong kinds. */
const never = (impossible: z.ZodType, reason: string) =>
  impossible.describe(`Never present: ${reason}.`).optional();

const scheduleRow = z
  .xor([
    row('capitalised', { EIR: rate('Effective interest rate (A2)') }).meta({
      id: 'InstallmentRow',
      description: 'An installment in the capitalised spelling: CalculateDAE absent or null.',
    }),
    row('lower', {
      dae: rate('Effective annual rate (A1)', '; present only when CalculateDAE is 2').optional(),
      EIR: never(z.array(z.number()).min(1).max(0), 'only the other spelling has it'),
    }).meta({
      id: 'LowerCaseInstallmentRow',
      description: 'An installment in the lower-case spelling: CalculateDAE 0 or 2.',
    }),
    z
      .object({
        dae: rate('Effective annual rate (A1)'),
        InstallmentTypeId: never(z.array(z.string()).min(1).max(0), 'only an installment has one'),
      })
      // TypeScript allows `data[0].PMT` only if every kind of row may have a PMT.
      .catchall(z.number().min(1).max(0).describe('Never present: only an installment has figures.'))
      .meta({
        id: 'RateOnlyRow',
        description: 'The rate alone, in the only row of the answer: CalculateDAE 1.',
      }),
  ])
  .meta({ id: 'ScheduleRow' });

export const repaymentScheduleReply = z
  .array(scheduleRow)
  .min(1)
  .describe(
    'One row for each installment, all of one kind; with CalculateDAE 1, a single row with the rate.',
  );

function row(casing: Casing, shownRate: z.ZodRawShape): z.ZodObject {
  const dueDate = casing === 'lower' ? '2024-02-01T00:00:00' : '2024-02-01T00:00:00Z';
  const amounts = described(TEXTS.InstallmentRow, {
    remainingValue: z.number(),
    pMT: z.number(),
    interest: z.number(),
    capitalisedInterest: z.number().optional(),
    principal: z.number(),
    managementFee: z.number(),
    insurance: z.number().optional(),
    totalInstallment: z.number(),
    overpaid: z.number().optional(),
  });
  const rest = described(TEXTS.InstallmentRowEnd, {
    isEarlyRepayment: z.enum(['true', 'false']),
    explanation: z.array(explanation(casing)).optional(),
  });
  return z
    .object({
      InstallmentNo: wholeNumber('Ordinal of the installment (X1, X3).', 1),
      NoDays: wholeNumber('Calendar days of the interest period (D6).'),
      InstallmentTypeId: z.string().describe('Id of the installment type (S7).'),
      ScheduleTypeId: z.string().describe('Id of the schedule type (S7).'),
      DueDate: z.string().describe(`Due date, as ${dueDate} (D1, D4, H1).`),
      ...inSpelling(casing, amounts),
      ...shownRate,
      ...inSpelling(casing, rest),
    })
    .catchall(z.number().describe('An additional column of the schedule type, by the name of the column.'));
}

function explanation(casing: Casing): z.ZodObject {
  const fields = described(TEXTS.FigureExplanation, {
    figure: z.enum(EXPLAINED_FIGURES[casing]),
    name: z.string().optional(),
    amount: z.number(),
    days: wholeNumber(TEXTS.FigureExplanation.days).optional(),
    basis: wholeNumber(TEXTS.FigureExplanation.basis, 1).optional(),
    dayCount: z.string().optional(),
    rates: z.array(z.number()).optional(),
    base: z.number().optional(),
    formula: z.string(),
  });
  const name = casing === 'lower' ? 'LowerCaseFigureExplanation' : 'FigureExplanation';
  return z.strictObject(inSpelling(casing, fields)).meta({ id: name });
}

function inSpelling(casing: Casing, fields: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(fields).map(([name, kind]) => [spelled(name, casing), kind]));
}

/** Values for mandatory fields that cannot be read. Amount is larger than any amount of a realistic request. */
const PLACEHOLDERS: Fields = {
  ScheduleType: 'EqualInstallments',
  Amount: 1e12,
  InstallmentsNo: 1200,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 0,
};
const ROW_FIELDS = ['InstallmentsNo', 'RealInstallmentNo', 'BlockInstallmentNo', 'LastDueDate'];
const DATE_FIELDS = [
  ...ROW_FIELDS,
  'ScheduleType',
  'PeriodicityType',
  'InstallmentDay',
  'InstallmentMethod',
  'ActivationDate',
  'FirstDueDate',
  'MaturityDate',
  'ExpiryDateForOD',
  'HolidayShift',
  'HolidayMethod',
  'HolidayCountry',
  'DeferDueDate',
  'InterestType',
  'DueDates',
];
const DEPENDS_ON: Readonly<Record<string, readonly string[]>> = {
  ProductType: ['ScheduleType'],
  DueDates: ['InstallmentsNo', 'PeriodicityType'],
  RealInstallmentNo: ROW_FIELDS,
  BlockInstallmentNo: ROW_FIELDS,
  ContractPeriod: ['InstallmentsNo', 'PeriodicityType'],
  GracePeriodPrincipal: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  GracePeriodInterest: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  MultipleInterestRates: ['InstallmentsNo'],
  BandedInterestRates: ['MultipleInterestRates'],
  installmentValue: ['ScheduleType'],
  principalValue: ['ScheduleType'],
};
/** Fields that some schedule types require. The definition and checkTogether report other missing fields. */
const BY_SCHEDULE_TYPE: ReadonlySet<string> = new Set(['CapitalPercent', 'ResidualValue']);
/** Faults with these codes depend on the number of decimals, which Currency and Precision determine (M2). */
const BY_DIGITS: ReadonlySet<string> = new Set(['too-many-decimals', 'amount-too-large']);

export const repaymentScheduleRequest = createRequestReader<RepaymentScheduleRequest>({
  fields: repaymentScheduleFields,
  jsonParam: 'Terms of the schedule.',
  between: checkTogether,
  meaning: {
    placeholders: PLACEHOLDERS,
    faultsOf: (request, catalogue) =>
      findScheduleFaults(request, catalogue).filter(
        ({ code, path }) => code !== 'missing' || BY_SCHEDULE_TYPE.has(path),
      ),
    dependsOn: ({ path, code }) => [
      ...(DEPENDS_ON[topField(path)] ?? []),
      ...(BY_DIGITS.has(code) ? ['Currency', 'Precision'] : []),
      ...(code === 'date-order' ? DATE_FIELDS : []),
      ...(code === 'missing' ? ['ScheduleType'] : []),
      ...(path === 'ResidualValue' && code === 'out-of-range' ? ['Amount'] : []),
    ],
  },
});

export const CALCULATE_REPAYMENT_SCHEDULE = defineAction<RepaymentScheduleRequest, RepaymentSchedule>({
  name: 'PLAT_BP_CalculateRepaymentSchedule',
  summary: 'Calculates the installments of a repayment schedule',
  description:
    'Returns one record for each installment. CalculateDAE selects the spelling of the fields and the effective rate ' +
    'that is shown (A5). Nothing is stored: the same request always gets the same answer (S1, S5, M3).',
  requestType: 'CalculateRepaymentScheduleRequest',
  request: repaymentScheduleRequest,
  replyShape: repaymentScheduleReply,
  examples,
  answerHeaders: ['holidayCalendar'],
  units: (request) => scheduleUnits(request),
  render: renderRepaymentSchedule,
  formats: {
    'text/csv': {
      render: (schedule) => csvText(JSON.parse(renderRepaymentSchedule(schedule), asWritten) as object[]),
    },
  },
});

/** Requires InterestPercent, MultipleInterestRates or BandedInterestRates (S4), and checks each charge (F1). */
function checkTogether(fields: Fields): readonly Fault[] {
  const faults: Fault[] = [];
  const { InterestPercent, MultipleInterestRates, BandedInterestRates } = fields;
  if (isAbsent(InterestPercent) && !isGiven(MultipleInterestRates) && !isGiven(BandedInterestRates)) {
    faults.push(shapeFault('InterestPercent', 'missing', NO_RATE));
  }
  for (const [list, names] of Object.entries(CHARGE_NAMES)) {
    const items = fields[list];
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) {
      if (isRecord(item)) checkItem(item, `${list}[${index}]`, names, faults);
    }
  }
  return faults;
}

/** A value of a wrong type counts as given, because the schema already reports it. */
function isGiven(list: unknown): boolean {
  return Array.isArray(list) ? list.length > 0 : !isAbsent(list);
}

function checkItem(item: Fields, path: string, names: readonly string[], faults: Fault[]): void {
  const message = sourceFault(!isAbsent(item['SourceValue']), !isAbsent(item['SourcePercent']));
  if (message !== undefined) faults.push(shapeFault(`${path}.SourceValue`, 'mutually-exclusive', message));
  if (names.every((name) => isAbsent(item[name]))) {
    faults.push(shapeFault(`${path}.${names[0]}`, 'missing', describeNoName(names)));
  }
}
