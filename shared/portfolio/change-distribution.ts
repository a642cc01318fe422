/** The limits of the bins (0.01, 0.02, 0.05 and so on to 100 %) are fixed, so that two reports can be compared. */

/** Counts by bin: first falls, from the largest on, then unchanged amounts, then rises. */
export interface ChangeCounts {
  readonly bins: number[];
  /** Changes without a percentage, because there is no former amount above zero. */
  withoutBase: number;
}

/** A bin as it is shown: changes of at least `from` and less than `to` percent, both without a sign. */
export interface ChangeBin {
  readonly direction: 'lower' | 'unchanged' | 'higher';
  readonly from: number;
  /** Undefined if there is no limit. */
  readonly to: number | undefined;
  readonly count: number;
}

/** The lower limit of each bin of rises, and of falls, in hundredths of a percent. */
const LIMITS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
const SIDE = LIMITS.length;
const HUNDREDTHS = 10_000n;
const PERCENT = 100;

const CHANGE_BINS = 2 * SIDE + 1;

export function noChanges(): ChangeCounts {
  return { bins: Array.from({ length: CHANGE_BINS }, () => 0), withoutBase: 0 };
}

/** Counts a change to the amount `former`, in the same minor units. */
export function countChange(changes: ChangeCounts, change: bigint, former: bigint): void {
  if (change !== 0n && former <= 0n) {
    changes.withoutBase += 1;
    return;
  }
  const bin = change === 0n ? SIDE : binOf(change, former);
  changes.bins[bin] = (changes.bins[bin] ?? 0) + 1;
}

function binOf(change: bigint, former: bigint): number {
  const isLower = change < 0n;
  // Rounding down does not change the bin, because the limits are whole hundredths of a percent.
  const hundredths = Number(((isLower ? -change : change) * HUNDREDTHS) / former);
  const step = LIMITS.findLastIndex((limit) => limit <= hundredths);
  return isLower ? SIDE - 1 - step : SIDE + 1 + step;
}

export function countDirections({ bins }: ChangeCounts): Readonly<Record<ChangeBin['direction'], number>> {
  return {
    lower: sumOf(bins.slice(0, SIDE)),
    unchanged: bins[SIDE] ?? 0,
    higher: sumOf(bins.slice(SIDE + 1)),
  };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

export function filledBins({ bins }: ChangeCounts): readonly ChangeBin[] {
  return bins.flatMap((count, bin) => (count > 0 ? [{ ...limitsOf(bin), count }] : []));
}

function limitsOf(bin: number): Omit<ChangeBin, 'count'> {
  if (bin === SIDE) return { direction: 'unchanged', from: 0, to: 0 };
  const step = Math.abs(bin - SIDE) - 1;
  const next = LIMITS[step + 1];
  return {
    direction: bin < SIDE ? 'lower' : 'higher',
    from: (LIMITS[step] ?? 0) / PERCENT,
    to: next === undefined ? undefined : next / PERCENT,
  };
}
