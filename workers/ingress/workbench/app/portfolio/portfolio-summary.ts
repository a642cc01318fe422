/** Sums of a portfolio, exact: amounts are added as whole ten-thousandths, the smallest decimals that a currency has. */

export interface ScheduleSums {
  readonly principal: bigint;
  readonly interest: bigint;
  readonly fees: bigint;
  readonly total: bigint;
}

/** The result of one contract. */
export interface ContractResult {
  readonly id: string;
  readonly line: number;
  readonly installments: number;
  readonly sums: ScheduleSums;
  /** Sums of the previous schedule, if the file has one. */
  readonly before: ScheduleSums | undefined;
}

/** A bar of the distribution: contracts whose total changed by at least `from` and less than `to`. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const UNITS = 10_000;
const DECIMALS = 4;
const NOTHING: ScheduleSums = { principal: 0n, interest: 0n, fees: 0n, total: 0n };
const BINS = 21;

type Row = Readonly<Record<string, unknown>>;

/** Adds up the rows of a schedule, in either spelling; undefined if a row has no amounts. */
export function sumSchedule(rows: readonly Row[]): ScheduleSums | undefined {
  let sums = NOTHING;
  for (const row of rows) {
    const principal = readUnits(row['Principal'] ?? row['principal']);
    const interest = readUnits(row['Interest'] ?? row['interest']);
    const total = readUnits(row['TotalInstallment'] ?? row['totalInstallment']);
    const fee = readUnits(row['ManagementFee'] ?? row['managementFee'] ?? 0);
    const insurance = readUnits(row['Insurance'] ?? row['insurance'] ?? 0);
    if (principal === undefined || interest === undefined || total === undefined) return undefined;
    if (fee === undefined || insurance === undefined) return undefined;
    sums = add(sums, { principal, interest, fees: fee + insurance, total });
  }
  return sums;
}

function readUnits(value: unknown): bigint | undefined {
  const amount = typeof value === 'string' ? Number(value) : value;
  if (typeof amount !== 'number' || !Number.isFinite(amount)) return undefined;
  const units = Math.round(amount * UNITS);
  return Number.isSafeInteger(units) ? BigInt(units) : undefined;
}

export function add(one: ScheduleSums, other: ScheduleSums): ScheduleSums {
  return {
    principal: one.principal + other.principal,
    interest: one.interest + other.interest,
    fees: one.fees + other.fees,
    total: one.total + other.total,
  };
}

/** Adds up all results, and the previous schedules of those that have one. */
export function sumResults(results: readonly ContractResult[]): {
  readonly after: ScheduleSums;
  readonly compared: number;
  readonly changed: number;
  readonly before: ScheduleSums;
  readonly afterCompared: ScheduleSums;
} {
  let after = NOTHING;
  let before = NOTHING;
  let afterCompared = NOTHING;
  let compared = 0;
  let changed = 0;
  for (const result of results) {
    after = add(after, result.sums);
    if (result.before === undefined) continue;
    compared += 1;
    before = add(before, result.before);
    afterCompared = add(afterCompared, result.sums);
    if (result.before.total !== result.sums.total) changed += 1;
  }
  return { after, compared, changed, before, afterCompared };
}

/** How much the total of a contract changed; undefined without a previous schedule. */
export function changeOf({ sums, before }: ContractResult): bigint | undefined {
  return before === undefined ? undefined : sums.total - before.total;
}

/** The contracts that changed most, by amount. */
export function largestMovers(results: readonly ContractResult[], count: number): readonly ContractResult[] {
  const magnitude = (result: ContractResult): bigint => {
    const change = changeOf(result) ?? 0n;
    return change < 0n ? -change : change;
  };
  return results
    .filter((result) => magnitude(result) > 0n)
    .toSorted((one, other) => Number(magnitude(other) - magnitude(one)))
    .slice(0, count);
}

/** The distribution of the changes in percent of the former total, in equal bars around zero. Empty without previous schedules. */
export function distribution(results: readonly ContractResult[]): readonly Bin[] {
  const changes = results.flatMap((result) => {
    const change = changeOf(result);
    const before = result.before?.total ?? 0n;
    return change === undefined || before === 0n ? [] : [(Number(change) / Number(before)) * 100];
  });
  if (changes.length === 0) return [];
  const largest = Math.max(...changes.map(Math.abs), 0.01);
  const width = (2 * largest) / BINS;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const change of changes) {
    const index = Math.min(BINS - 1, Math.max(0, Math.floor((change + largest) / width)));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({
    from: -largest + index * width,
    to: -largest + (index + 1) * width,
    count,
  }));
}

/** An amount of ten-thousandths as a decimal text with two decimals, or four where they are not zero. */
export function unitsToText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0{1,2}$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${decimals}`;
}

/** The results as CSV, in the order of the file. Ids are quoted. */
export function resultsToCsv(results: readonly ContractResult[]): string {
  const head = 'id,installments,principal,interest,fees,total,totalBefore,totalDifference';
  const lines = results
    .toSorted((one, other) => one.line - other.line)
    .map((result) => {
      const { sums, before } = result;
      const change = changeOf(result);
      return [
        `"${result.id.replaceAll('"', '""')}"`,
        String(result.installments),
        ...[sums.principal, sums.interest, sums.fees, sums.total].map(unitsToText),
        before === undefined ? '' : unitsToText(before.total),
        change === undefined ? '' : unitsToText(change),
      ].join(',');
    });
  return `${[head, ...lines].join('\n')}\n`;
}
