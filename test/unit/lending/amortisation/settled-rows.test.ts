import { describe, expect, it } from 'vitest';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  accrualDays,
  dateFaults,
  datesFor,
  ON_WORKING_DAYS,
  texts,
} from '../../../support/reference/schedule-dates.ts';

/** Six months from 1 January 2025, due on the first of each month; two are settled. */
const RUNNING = {
  InstallmentsNo: 6,
  BlockInstallmentNo: 2,
  FirstDueDate: date('2025-02-01'),
  LastDueDate: date('2025-03-01'),
} as const;

describe('settled rows (X1)', () => {
  it('require LastDueDate and at least one remaining row', () => {
    expect(
      texts(datesFor({ ...RUNNING, BlockInstallmentNo: 5, LastDueDate: date('2025-06-01') }).dueDates),
    ).toEqual(['2025-07-01']);
    const range = 'out-of-range must be a whole number from 0 to 5';
    for (const BlockInstallmentNo of [6, -1, 1.5]) {
      expect(dateFaults({ ...RUNNING, BlockInstallmentNo })).toEqual([`BlockInstallmentNo ${range}`]);
    }
    expect(dateFaults({ ...RUNNING, LastDueDate: undefined })).toEqual([
      'BlockInstallmentNo not-allowed must be sent with LastDueDate, the due date of the last settled installment, or left out',
    ]);
    expect(datesFor({ BlockInstallmentNo: 0 }).settledRows).toBe(0);
  });

  it('must be due before the first remaining row', () => {
    expect(dateFaults({ ...RUNNING, LastDueDate: date('2025-04-01') })).toEqual([
      'LastDueDate date-order must be before 2025-04-01, the due date of installment 3, the first one after the settled ones (BlockInstallmentNo)',
    ]);
    expect(
      dateFaults({ ...RUNNING, BlockInstallmentNo: undefined, LastDueDate: RUNNING.FirstDueDate }),
    ).toHaveLength(1);
    expect(texts(datesFor({ ...RUNNING, LastDueDate: date('2025-03-31') }).dueDates)[0]).toBe('2025-04-01');
  });
});

describe('LastDueDate shifted off a holiday (X1, H3)', () => {
  const SHIFTED = { ...RUNNING, ...ON_WORKING_DAYS } as const;
  const MOVED = date('2025-03-03');

  it('is the start of the rates, while interest accrues from the unshifted date', () => {
    const dates = datesFor({ ...SHIFTED, LastDueDate: MOVED });
    expect(dates.startDate).toBe(MOVED);
    expect(texts([dates.accrualStart])).toEqual(['2025-03-01']);
    expect(accrualDays(dates)[0]).toBe(31);
    expect(dates.regularMonths).toEqual([1, 1, 1, 1]);
  });

  it('is recognised only if the shift of this request moves the last settled row to it', () => {
    expect(datesFor({ ...RUNNING, LastDueDate: MOVED }).accrualStart).toBe(MOVED);
    const fourth = date('2025-03-04');
    expect(datesFor({ ...SHIFTED, LastDueDate: fourth }).accrualStart).toBe(fourth);
    expect(dateFaults({ ...SHIFTED, LastDueDate: MOVED, BlockInstallmentNo: 1 })).toEqual([
      'LastDueDate date-order must be before 2025-03-01, the due date of installment 2, the first one after the settled ones (BlockInstallmentNo)',
    ]);
  });

  it('is recognised by InstallmentDay without the original FirstDueDate', () => {
    const noAnchor = { ...SHIFTED, LastDueDate: MOVED, FirstDueDate: undefined };
    expect(texts([datesFor(noAnchor).accrualStart])).toEqual(['2025-03-01']);
    const later = datesFor({ ...noAnchor, FirstDueDate: date('2025-04-01') });
    expect(texts([later.accrualStart])).toEqual(['2025-03-01']);
    expect(later.regularMonths).toEqual([1, 1, 1, 1]);
  });

  it('does not determine the next due dates if it lies in another month (D4)', () => {
    // Saturday 31 May 2025 is shifted to Monday 2 June, Saturday 1 February 2025 back to Friday 31 January.
    const into = {
      ...ON_WORKING_DAYS,
      InstallmentsNo: 2,
      LastDueDate: date('2025-06-02'),
      InstallmentDay: 31,
    };
    const forward = datesFor(into);
    expect(texts([forward.accrualStart, ...forward.dueDates])).toEqual([
      '2025-05-31',
      '2025-06-30',
      '2025-07-31',
    ]);
    const back = { ...ON_WORKING_DAYS, HolidayMethod: 'Backward', LastDueDate: date('2025-01-31') };
    for (const InstallmentMethod of ['ActualMonth', 'NextMonth', undefined]) {
      const dates = datesFor({ ...back, InstallmentsNo: 1, InstallmentMethod });
      expect(texts([dates.accrualStart, ...dates.dueDates])).toEqual(['2025-02-01', '2025-03-01']);
    }
  });

  it('is recognised if the first due date was shifted to a day before FirstDueDate', () => {
    const back = { ...SHIFTED, HolidayMethod: 'Backward', BlockInstallmentNo: 1 } as const;
    const dates = datesFor({ ...back, LastDueDate: date('2025-01-31') });
    expect(texts([dates.accrualStart, ...dates.dueDates.slice(0, 2)])).toEqual([
      '2025-02-01',
      '2025-03-01',
      '2025-04-01',
    ]);
  });

  it('is recognised if the start of the contract forced the first due date forward (H1)', () => {
    const daily = { ...ON_WORKING_DAYS, HolidayMethod: 'Backward', PeriodicityType: 'Daily' } as const;
    const running = { ...daily, FirstDueDate: date('2025-01-04'), LastDueDate: date('2025-01-06') };
    const dates = datesFor({ ...running, BlockInstallmentNo: 1 });
    expect(texts([dates.accrualStart, ...dates.dueDates])).toEqual([
      '2025-01-04',
      '2025-01-05',
      '2025-01-06',
      '2025-01-07',
    ]);
    expect(texts(dates.shownDates)).toEqual(['2025-01-06', '2025-01-06', '2025-01-07']);
  });
});

describe('RealInstallmentNo (B6)', () => {
  it('limits the number of rows, but not the planned due dates', () => {
    const dates = datesFor({ ...RUNNING, RealInstallmentNo: 4 });
    expect(dates.rowCount).toBe(2);
    expect(dates.dueDates).toHaveLength(4);
    expect(datesFor({ ...RUNNING, RealInstallmentNo: 6 }).rowCount).toBe(4);
  });

  it('is rejected if it is not the number of a row that remains', () => {
    const faults = [2, 7, 0, 3.5].flatMap((RealInstallmentNo) =>
      dateFaults({ ...RUNNING, RealInstallmentNo }),
    );
    const range = 'RealInstallmentNo out-of-range must be a whole number from 3 to 6';
    expect(faults).toEqual([range, range, range, range]);
  });
});
