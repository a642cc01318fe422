/** Results and failures as CSV, in the order of the file. */
import { formatMinorUnits } from '../../../../../shared/lending/numbers/money.ts';
import { withoutFormula } from '../../../../../shared/portfolio/csv-columns.ts';
import { bySum, SUM_NAMES } from '../../../../../shared/portfolio/comparison.ts';
import { reasonOf, type CountedFailure } from '../../../../../shared/portfolio/tally.ts';
import type { FinishedContract } from './portfolio-run.ts';

const RESULT_COLUMNS = [
  'id',
  'line',
  'currency',
  'installments',
  ...SUM_NAMES,
  'totalBefore',
  'totalDifference',
];
const FAILURE_COLUMNS = ['id', 'line', 'code', 'reason'];

/** One line for each calculated contract; the columns on the previous schedule are empty where there is none. */
export function resultsToCsv(results: readonly FinishedContract[]): string {
  return toCsv(
    RESULT_COLUMNS,
    inOrder(results).map(({ id, line, currency, rows, digits, sums, former }) => {
      const money = (minor: bigint): string => formatMinorUnits(minor, digits);
      const compared =
        former === undefined ? ['', ''] : [money(former.total), money(sums.total - former.total)];
      const amounts = Object.values(bySum((name) => money(sums[name])));
      return [quoted(id), String(line), currency ?? '', String(rows), ...amounts, ...compared];
    }),
  );
}

/** One line for each contract or line that failed. */
export function failuresToCsv(failures: readonly CountedFailure[]): string {
  return toCsv(
    FAILURE_COLUMNS,
    inOrder(failures).map(({ id, line, problem }) => [
      id === undefined ? '' : quoted(id),
      String(line),
      problem.code,
      quoted(reasonOf(problem)),
    ]),
  );
}

function toCsv(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${[columns, ...rows].map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}

function inOrder<Item extends { readonly line: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => one.line - other.line);
}

function quoted(text: string | number): string {
  return `"${withoutFormula(text).replaceAll('"', '""')}"`;
}
