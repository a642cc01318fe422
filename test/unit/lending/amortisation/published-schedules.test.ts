/** Published schedules, requested as a caller would (test/cases/lending/schedule.json). */

import cases from '../../../cases/lending/schedule.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import {
  COMPILED_BUILT_IN_SCHEDULE_TYPES,
  createScheduleCatalogue,
} from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { BUILT_IN_PERIODICITIES } from '../../../../shared/lending/dates/periodicity.ts';
import type { RepaymentSchedule } from '../../../../shared/lending/request/repayment-schedule.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import { REQUEST_DAY, calculated, date } from '../../../support/builders/lending-loan.ts';
import { columnsOf, compiledOf, recordOf } from '../../../support/builders/schedule-type-records.ts';

interface PublishedRow {
  readonly n: number;
  readonly due_date?: string;
  readonly payment?: number;
  readonly interest: number;
  readonly principal: number;
  readonly closing_balance: number;
  /** Commissions in addition to the payment. */
  readonly fee?: number;
  /** Commissions included in the payment. */
  readonly fees?: number;
}

interface PublishedSchedule {
  readonly id: string;
  readonly input: {
    readonly carry?: string;
    readonly periods?: number;
    readonly further_drawdowns?: readonly { readonly after_instalment: number; readonly amount: number }[];
  };
  readonly expected: {
    readonly rows?: readonly PublishedRow[];
    readonly periods?: number;
    readonly total_interest_rounded?: number;
    readonly total_payment_rounded?: number;
  };
  readonly tolerance: { readonly money: number };
  /** The requests that reproduce it; `rows` are the numbers of the rows to compare, or all rows if absent. */
  readonly asked: readonly {
    readonly request: object;
    readonly rows?: readonly number[];
    readonly lastRow?: string;
  }[];
}

const published = cases as readonly PublishedSchedule[];

/** Methods of the sources that no built-in schedule type has; a catalogue defines them (S1, S2). */
function ownType(name: string, columns: string, changes: Partial<ScheduleTypeRecord> = {}) {
  const names = { PaymentScheduleCode: name, PaymentScheduleTypeName: name };
  const all = columnsOf(`RemainingValue RemainingValue; ${columns}`);
  return compiledOf(recordOf(all, { ...names, ...changes }));
}

const LOCKABLE_HALF_EVEN = { InstallmentValueCustom: true, Rounding: 'HALF_EVEN' } as const;
const LEVEL = 'Interest Linear; PMT PMT; Principal Balance; ManagementFee Fee; Insurance Insurance';
const FLAT = 'Interest = Amount * InterestPercent / 100 / PeriodsPerYear';

const CATALOGUE = createScheduleCatalogue(
  [
    ...COMPILED_BUILT_IN_SCHEDULE_TYPES,
    ownType('EqualInstallmentsHalfEven', LEVEL, LOCKABLE_HALF_EVEN),
    ownType('EffectiveEqualPrincipal', 'Interest EffectiveRate; Principal Linear'),
    ownType('EffectiveInterestOnly', 'Interest EffectiveRate; Principal = 0'),
    ownType('FlatLocked', `${FLAT}; PMT = LockedInstallment; Principal Balance`, LOCKABLE_HALF_EVEN),
    ownType('FlatEqualPrincipal', `${FLAT}; Principal Linear`),
  ],
  [...BUILT_IN_PERIODICITIES, { name: 'Every 15 days', count: 15, unit: 'Days' }],
);

function scheduleAsAsked(request: object): RepaymentSchedule {
  const read = repaymentScheduleRequest.read({ jsonParam: request });
  if (read.kind !== 'valid') throw new Error(JSON.stringify(read.faults));
  const context = { requestDay: REQUEST_DAY, catalogue: CATALOGUE };
  return calculated(calculateRepaymentSchedule(read.payload, context));
}

/** The figures of one due date: of its row, of prepayments after it, and of drawdowns that the source adds to it. */
function figuresOf(schedule: RepaymentSchedule, no: number) {
  const rows = schedule.rows.filter(({ InstallmentNo }) => InstallmentNo === no);
  const sum = (name: 'interest' | 'principal' | 'managementFee') =>
    rows.reduce((total, row) => total + row[name], 0);
  const [first] = rows;
  if (first === undefined) throw new Error(`no row ${no}`);
  const [interest, principal, fee] = [sum('interest'), sum('principal'), sum('managementFee')];
  return { interest, principal, fee, dueDate: first.dueDate, closing: first.remainingValue - principal };
}

const minor = (major: number) => Math.round(major * 100);

/**
 * How far a figure may deviate, in cents. By default it must be exact. If the source prints whole units, it may deviate
 * by half a unit. If the source does not round balances, it may deviate by a cent, and a balance or the principal of
 * the last row by a cent for each row that is rounded here (M2).
 */
function toleranceOf({ input, tolerance }: PublishedSchedule, row: PublishedRow) {
  if (input.carry !== 'unrounded') return { figure: 0, balance: 0 };
  const printed = Math.floor(minor(tolerance.money));
  return { figure: Math.max(1, printed), balance: Math.max(row.n, printed) };
}

function deviations(
  known: PublishedSchedule,
  schedule: RepaymentSchedule,
  row: PublishedRow,
  onlyPrincipal: boolean,
) {
  const own = figuresOf(schedule, row.n);
  const { figure, balance } = toleranceOf(known, row);
  const inTotal = row.n === schedule.rows.at(-1)?.InstallmentNo ? balance : figure;
  const drawn = known.input.further_drawdowns?.find((one) => one.after_instalment === row.n)?.amount ?? 0;
  const paid = own.interest + own.principal + (row.fees === undefined ? 0 : own.fee);
  const dueDate = row.due_date === undefined ? own.dueDate : date(row.due_date);
  const payment = row.payment === undefined ? paid : minor(row.payment);
  const figures: (readonly [name: string, value: number, wanted: number, tolerance: number])[] = [
    ['due date', own.dueDate, dueDate, 0],
    ['principal', own.principal, minor(row.principal), inTotal],
    ['closing balance', own.closing + minor(drawn), minor(row.closing_balance), balance],
  ];
  if (!onlyPrincipal) {
    figures.push(
      ['interest', own.interest, minor(row.interest), figure],
      ['payment', paid, payment, inTotal],
      ['fee', own.fee, minor(row.fees ?? row.fee ?? 0), 0],
    );
  }
  return figures.flatMap(([name, value, wanted, tolerance]) =>
    Math.abs(value - wanted) <= tolerance ? [] : [`row ${row.n} ${name} is ${value}, printed ${wanted}`],
  );
}

const asked = published.flatMap((known) =>
  known.asked.map((request, index) => ({ id: known.id, part: index + 1, known, ...request })),
);
const withTotals = published.filter(({ expected }) => expected.total_interest_rounded !== undefined);

describe('published schedules', () => {
  it.each(asked.filter(({ known }) => known.expected.rows !== undefined))(
    'calculates $id as published, request $part (M2, M3)',
    ({ known, request, rows: numbers, lastRow }) => {
      const schedule = scheduleAsAsked(request);
      const rows = (known.expected.rows ?? []).filter(({ n }) => numbers?.includes(n) ?? true);
      const last = schedule.rows.at(-1)?.InstallmentNo;
      const wrong = rows.flatMap((row) =>
        deviations(known, schedule, row, row.n === last && lastRow === 'principal'),
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    },
  );

  it.each(withTotals)(
    'calculates the published totals and number of instalments of $id (B2)',
    ({ asked: [first], input, expected }) => {
      const schedule = scheduleAsAsked(first?.request ?? {});
      const units = (name: 'interest' | 'totalInstallment') =>
        Math.round(schedule.rows.reduce((sum, row) => sum + row[name], 0) / 100);
      expect(units('interest')).toBe(expected.total_interest_rounded);
      expect(units('totalInstallment')).toBe(expected.total_payment_rounded);
      expect(schedule.rows).toHaveLength(expected.periods ?? input.periods ?? 0);
    },
  );
});
