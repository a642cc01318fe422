/** Published rates as whole steps of their last decimal, and on which side of a boundary between two the rate lies. */

import { boundedSign } from './bounded-sign.ts';
import { ratioOfNumber, type ExactRatio } from './exact-ratio.ts';
import type { FlowFactors } from './flow-factors.ts';
import { netValueAt, type NetValue } from './net-value.ts';
import { signNearTotalLoss, type RateFlows } from './rate-flows.ts';
import { divideRounded } from './rounding.ts';
import type { SolverEffort } from './solver-effort.ts';
import type { UnitGrowth } from './touching-rate.ts';

/** Growth factor above which a floating-point number is turned into a fraction. */
const LEAST_GROWTH = 1e-290;

/** How a rate is counted and shown. */
export interface RateScale {
  readonly percentDecimals: number;
  /** Time units of the flows in a year, where their rates are added and not compounded (A3); else 1. */
  readonly unitsAdded: ExactRatio;
}

/** Flows, prepared and as they are, and what may still be spent on them. */
export interface RateProblem {
  readonly flows: RateFlows;
  readonly factors: FlowFactors;
  readonly effort: SolverEffort;
}

/** The boundary halfway between the steps `below` and `below + 1`, and the sign of the worth there. */
export interface Boundary {
  readonly below: bigint;
  readonly sign: -1 | 0 | 1;
}

/** A boundary with the worth itself; undefined at or under -100 percent. */
export interface WeighedBoundary extends Boundary {
  readonly value: NetValue | undefined;
}

/** Steps of 10^-percentDecimals percent. */
export class RateSteps {
  /** The step at or next above -100 percent. */
  readonly least: bigint;
  readonly #problem: RateProblem;
  /** 2 * half * (1 + r) at step 0, and the half step there. */
  readonly #whole: bigint;
  readonly #half: bigint;
  readonly #perUnit: number;

  constructor(problem: RateProblem, { percentDecimals, unitsAdded }: RateScale) {
    const stepsPerOne = 10n ** BigInt(percentDecimals + 2);
    this.#problem = problem;
    this.#whole = 2n * stepsPerOne * unitsAdded.numerator;
    this.#half = unitsAdded.denominator;
    this.least = -this.#whole / (2n * this.#half);
    this.#perUnit = (Number(stepsPerOne) * Number(unitsAdded.numerator)) / Number(unitsAdded.denominator);
  }

  /** The step next to ln(1 + r), never under -100 percent. */
  near(logRate: number): bigint {
    const step = BigInt(Math.round(Math.expm1(logRate) * this.#perUnit));
    return step < this.least ? this.least : step;
  }

  /** True when the boundary above the step `below` lies between two logarithms of 1 + r, not at an end. */
  isBetween(below: bigint, low: number, high: number): boolean {
    const growth = this.#growthAt(below);
    const rate =
      growth === undefined
        ? Number.NEGATIVE_INFINITY
        : Math.log(Number(growth.numerator) / Number(growth.denominator));
    return (low === Number.NEGATIVE_INFINITY || rate > low) && rate < high;
  }

  /** The step that a growth over some units rounds to, next to the step `estimate`. */
  holding({ growth, units }: UnitGrowth, estimate: bigint): bigint {
    const { unitsPerYear } = this.#problem.flows;
    const isAbove = (below: bigint): boolean => {
      const boundary = this.#growthAt(below);
      if (boundary === undefined) return true;
      const excess =
        growth.numerator ** BigInt(unitsPerYear) * boundary.denominator ** BigInt(units) -
        boundary.numerator ** BigInt(units) * growth.denominator ** BigInt(unitsPerYear);
      return below < 0n ? excess > 0n : excess >= 0n;
    };
    let step = estimate;
    while (isAbove(step)) step += 1n;
    while (!isAbove(step - 1n)) step -= 1n;
    return step;
  }

  /**
   * The step that a growth factor rounds to, and the sign of the worth there; undefined where it is too close to zero
   * for a number, or the effort has run out.
   */
  nextTo(growth: number): { readonly step: bigint; readonly sign: -1 | 0 | 1 } | undefined {
    if (!(growth > LEAST_GROWTH) || this.#problem.effort.left <= 0) return undefined;
    this.#problem.effort.spend();
    const { numerator, denominator } = ratioOfNumber(growth);
    const steps = (numerator - denominator) * this.#whole;
    const step = divideRounded(steps, 2n * this.#half * denominator, 'HALF_UP');
    return { step, sign: netValueAt(this.#problem.flows, { numerator, denominator }).sign };
  }

  /** The boundary above the step `below`: proven in floating point, or else in whole numbers. */
  boundary(below: bigint): Boundary {
    const growth = this.#growthAt(below);
    const sign = growth === undefined ? 0 : boundedSign(this.#problem.factors, growth);
    if (sign === 0) return this.weighed(below);
    this.#problem.effort.spend();
    return { below, sign };
  }

  /** The boundary above the step `below` with the worth there, in whole numbers. */
  weighed(below: bigint): WeighedBoundary {
    this.#problem.effort.spend();
    const growth = this.#growthAt(below);
    if (growth === undefined) {
      return { below, sign: signNearTotalLoss(this.#problem.flows), value: undefined };
    }
    const value = netValueAt(this.#problem.flows, growth);
    return { below, sign: value.sign, value };
  }

  /** 1 + r of a time unit at the boundary; undefined at or under -100 percent. */
  #growthAt(below: bigint): ExactRatio | undefined {
    const numerator = this.#whole + (2n * below + 1n) * this.#half;
    return numerator <= 0n ? undefined : { numerator, denominator: this.#whole };
  }
}
