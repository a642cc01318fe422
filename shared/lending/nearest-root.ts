/**
 * The rate nearest zero of flows that change their sign more than once, so that several rates may exist (A4).
 *
 * Both sides of zero are surveyed outwards, the side that is nearer to zero first. Where the sums of the discounted
 * flows show no rate beyond, or just one (changes-beyond.ts), a side is settled. Otherwise its next segment is divided
 * until the rates within it lie apart (rates-apart.ts): in floating point with an error bound, and where that is blind
 * in whole numbers.
 */

import { changesBeyond } from './changes-beyond.ts';
import { exactLocalWorth } from './exact-local-worth.ts';
import { localWorth, type LocalWorth } from './local-worth.ts';
import { rateBetween } from './lone-rate.ts';
import { firstRate } from './rates-apart.ts';
import type { RateProblem } from './rate-steps.ts';
import { exactFlows, signedFlows, type ExactFlow, type SignedFlows } from './signed-flows.ts';
import { meetingRate, type FoundRate } from './touching-rate.ts';

/**
 * Lowest ln(1 + r) that is searched. Far below what is published as -100 percent, yet a last payment of one cent a day
 * after the others outweighs the largest amounts only there, and such a rate exists.
 */
export const LOWEST_LOG_RATE = -20_000;
/** ln(1 + r) of 1e260, above which no rate is given: its digits would not fit a JSON number. */
export const HIGHEST_LOG_RATE = 260 * Math.LN10;

/** Width of the first segment, in parts of one over the longest time, and how much the next one may grow. */
const FIRST_WIDTH = 5;
const SEGMENT_GROWTH = 2;
/** Series in whole numbers, each of a part that the one before could not tell from zero. */
const MOST_EXACT_LEVELS = 3;
/** Radius, relative to 1 + |s|, of a part whose place in floating point is as good as its rate. */
const LEAST_RADIUS = 1e-14;
/** Share by which an only rate beyond may be off. */
const DOUBT = 1e-3;

/** A blurred place has parts on its edge, no more than so many of its radii away, that hold no rate themselves. */
const EDGE_RADII = 16;

interface Survey {
  /** ln(1 + r) where the worth could not be told from zero, and no rate was proven. */
  readonly unproven: number[];
  readonly problem: RateProblem;
  readonly signed: SignedFlows;
  readonly exact: readonly ExactFlow[];
}

/** What is known of the rates on one side of zero. */
interface Side {
  readonly direction: 1 | -1;
  /** ln(1 + r) where the survey of the side ends. */
  readonly limit: number;
  /** ln(1 + r) up to which there is no rate. */
  reached: number;
  width: number;
  isSettled: boolean;
  /** The rate of this side that is nearest zero, once there is one. */
  nearest: FoundRate | undefined;
}

/**
 * The rate nearest zero, or two of either sign of which only their digits say which is nearer; none when there is no
 * rate, or the survey cannot be certain: where it has to end, or two rates may have met that nothing proves.
 */
export function nearestRates(problem: RateProblem): readonly FoundRate[] {
  const exact = exactFlows(problem.flows);
  if (exact.length === 0) return [];
  if (exact.reduce((sum, { amount }) => sum + amount, 0n) === 0n) return [RATE_OF_ZERO];
  const survey: Survey = { unproven: [], problem, exact, signed: signedFlows(problem.factors) };
  const { years } = survey.signed;
  const width = FIRST_WIDTH / ((years.at(-1) ?? 0) - (years[0] ?? 0));
  if (!Number.isFinite(width)) return [];
  const atZero = { reached: 0, width, isSettled: false, nearest: undefined };
  const above: Side = { ...atZero, direction: 1, limit: HIGHEST_LOG_RATE };
  const below: Side = { ...atZero, direction: -1, limit: LOWEST_LOG_RATE };
  while (!above.isSettled || !below.isSettled) {
    const isAboveNext =
      below.isSettled || (!above.isSettled && distanceOf(above.reached) <= distanceOf(below.reached));
    advance(survey, isAboveNext ? above : below);
    settle(above, below.nearest);
    settle(below, above.nearest);
    if (problem.effort.isSurveyOver) return [];
  }
  const found = [above.nearest, below.nearest].filter((nearest) => nearest !== undefined);
  const isSure = survey.unproven.every((place) =>
    found.some(
      ({ rate, blur = 0 }) =>
        Math.abs(place - rate) <= EDGE_RADII * blur || distanceOf(place) > distanceOf(rate),
    ),
  );
  return isSure ? found : [];
}

/** The flows add up to nothing. */
const RATE_OF_ZERO: FoundRate = {
  rate: 0,
  low: 0,
  high: 0,
  touching: { growth: { numerator: 1n, denominator: 1n }, units: 1 },
};

/** A side is settled with its nearest rate, or when any that it might still have is farther than that of the other. */
function settle(side: Side, other: FoundRate | undefined): void {
  if (side.nearest !== undefined || side.reached === side.limit) side.isSettled = true;
  if (other !== undefined && isBeyond(side.reached, other)) side.isSettled = true;
}

function isBeyond(logRate: number, { rate, low, high }: FoundRate): boolean {
  const isOnly = !Number.isFinite(low) || !Number.isFinite(high);
  const greatest = isOnly ? distanceOf(rate) * (1 + DOUBT) : Math.max(distanceOf(low), distanceOf(high));
  return distanceOf(logRate) > greatest;
}

/** Distance of the rate r from zero. */
function distanceOf(logRate: number): number {
  return Math.abs(Math.expm1(logRate));
}

/** Looks for a rate in the next segment of a side, or settles all that lies beyond. */
function advance(survey: Survey, side: Side): void {
  const { signed, problem } = survey;
  const { effort } = problem;
  const { direction } = side;
  effort.survey(signed.amounts.length, 'inNumbers');
  const changes = changesBeyond(signed, side.reached, direction);
  if (changes !== undefined && changes <= 1) {
    if (changes === 1) side.nearest = onlyRateBeyond(survey, side);
    side.isSettled = true;
    return;
  }
  const { local, end } = nextSegment(survey, side);
  const blurred = (centre: number, radius: number) =>
    rateInBlur(survey, direction, { centre, radius, level: 1 });
  side.nearest = firstRate(local, { direction, effort, blurred });
  side.reached = end;
}

/** The rate between what was reached and the end of a side, where there is one and no more. */
function onlyRateBeyond({ signed, problem }: Survey, side: Side): FoundRate | undefined {
  const rate = rateBetween(signed, side.reached, side.limit, problem.effort);
  if (rate === null) return undefined;
  return side.direction === 1
    ? { rate, low: side.reached, high: Number.POSITIVE_INFINITY }
    : { rate, low: Number.NEGATIVE_INFINITY, high: side.reached };
}

/** The series of the next segment, which is halved until the series holds. */
function nextSegment({ signed, problem }: Survey, side: Side): { local: LocalWorth; end: number } {
  for (;;) {
    const ahead = side.reached + side.direction * side.width;
    const end = Math.abs(ahead) < Math.abs(side.limit) ? ahead : side.limit;
    const radius = Math.abs(end - side.reached) / 2;
    problem.effort.survey(signed.amounts.length, 'inNumbers');
    const local = localWorth(signed, (side.reached + end) / 2, radius);
    side.width = local === undefined ? radius : 2 * radius * SEGMENT_GROWTH;
    if (local !== undefined) return { local, end };
  }
}

/** A part that could not be told from zero, on the given level of whole numbers. */
interface Blur {
  readonly centre: number;
  readonly radius: number;
  readonly level: number;
}

function rateInBlur(survey: Survey, direction: 1 | -1, blur: Blur): FoundRate | undefined {
  const { exact, problem } = survey;
  const { effort } = problem;
  const { centre, radius, level } = blur;
  const isPoint = radius <= LEAST_RADIUS * (1 + Math.abs(centre));
  if (level > MOST_EXACT_LEVELS || (level > 1 && isPoint)) {
    const meeting = meetingRate(problem.flows, centre, radius);
    if (meeting === undefined) survey.unproven.push(centre);
    return meeting;
  }
  effort.survey(exact.length, 'inWholeNumbers');
  if (effort.isSurveyOver) return undefined;
  const local = exactLocalWorth(exact, centre, radius);
  if (local !== undefined) {
    const blurred = (part: number, size: number) =>
      rateInBlur(survey, direction, { centre: part, radius: size, level: level + 1 });
    return firstRate(local, { direction, effort, blurred });
  }
  const half = radius / 2;
  return (
    rateInBlur(survey, direction, { centre: centre - direction * half, radius: half, level }) ??
    rateInBlur(survey, direction, { centre: centre + direction * half, radius: half, level })
  );
}
