/** What is measured of schedules and rates, by name, and how the times are compared. */

import { atLeast, atMost, slowdown, toKnow, type RoundTimes, type Slowdown } from '../interleaved.ts';
import type { Ratio } from '../measurement.ts';

/** What ten times as many rows may cost at most. */
const MOST_TIMES_FOR_TEN = 11;

/** Aims, as multiples of the engine's own time. */
const AIM = { datedPeer: 50, decimal: 8, annualRate: 5 } as const;

/** Names of the works as they are shown. */
export const NAMES = {
  whole: '360 rows, 3 charges, DAE and EIR',
  rows: '360 rows, 3 charges, no rates',
  plain: '360 rows, no charges, no rates',
  shifted: '360 rows, 3 charges, DAE and EIR, holidays of RO',
  long: '3,600 rows, all steps behind the limit of rows',
  steps: '360 rows, all steps behind the limit of rows',
  medium: '1,200 rows, 3 charges, no rates',
  short: '120 rows, 3 charges, no rates',
  render: 'JSON answer of 360 rows as bytes',
  eir: 'EIR of 360 dated flows',
  dae: 'DAE of 360 dated flows',
  daeOfDays: 'DAE of 360 dated flows with days left over',
  dates: 'phase: members and dates',
  planned: 'phase: as before, day counts and charges placed',
  amortised: 'phase: as before, payment and rows',
  answered: 'phase: as before, rows with charges',
  datedPeer: 'loan-schedule.js: 360 rows, no charges, no rates',
  floatPeer: 'loanjs: 360 rows in floating point, no dates',
  reference: 'decimal.js reference (60 digits): 360 rows, 3 charges, DAE and EIR',
  referenceRows: 'decimal.js reference (60 digits): 360 rows, 3 charges, no rates',
  decimalRows: 'decimal.js loop (34 digits): 360 rows, 3 charges, no rates',
  xirr: 'xirr: 360 dated flows',
  formulajs: 'formulajs XIRR: 360 dated flows',
  financial: 'financial irr: 12 equal periods',
  ownShort: 'EIR of 12 dated flows',
} as const;

/** All comparisons of a run. */
export function ratiosOf(times: RoundTimes): readonly Ratio[] {
  const of = (slower: keyof typeof NAMES, faster: keyof typeof NAMES): Slowdown =>
    slowdown(times, NAMES[slower], NAMES[faster]);
  return [
    atLeast(
      'loan-schedule.js (no charges, no rates) / 360 rows with everything',
      of('datedPeer', 'whole'),
      AIM.datedPeer,
    ),
    atLeast(
      'loan-schedule.js (no charges, no rates) / 360 rows with everything and holidays',
      of('datedPeer', 'shifted'),
      AIM.datedPeer,
    ),
    atLeast('decimal.js reference / 360 rows with everything', of('reference', 'whole'), AIM.decimal),
    atLeast('decimal.js reference / engine, no rates', of('referenceRows', 'rows'), AIM.decimal),
    toKnow('decimal.js loop of 34 digits / engine, no rates', of('decimalRows', 'rows')),
    atLeast('xirr / EIR of 360 dated flows', of('xirr', 'eir'), AIM.annualRate),
    atLeast('xirr / DAE of 360 dated flows', of('xirr', 'dae'), AIM.annualRate),
    toKnow('xirr / DAE of 360 dated flows with days left over', of('xirr', 'daeOfDays')),
    toKnow('formulajs XIRR / EIR of 360 dated flows', of('formulajs', 'eir')),
    toKnow('financial irr of 12 equal periods / EIR of 12 dated flows', of('financial', 'ownShort')),
    toKnow('loanjs (floating point, no dates) / 360 rows, no charges, no rates', of('floatPeer', 'plain')),
    atMost('3,600 rows / 360 rows, all steps', of('long', 'steps'), MOST_TIMES_FOR_TEN),
    atMost('1,200 rows / 120 rows, no rates', of('medium', 'short'), MOST_TIMES_FOR_TEN),
    toKnow('360 rows with everything / writing their JSON answer', of('whole', 'render')),
  ];
}
