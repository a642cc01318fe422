/**
 * Explains balance, payment, interest and principal of rows while they are calculated (S6). Readers can recalculate
 * formulas that have an equals sign; their words have no digits. Amounts are minor units. No calculation reads them.
 */

import type { AmortisedRow } from './amortised-row.ts';
import type { InterestSegment } from './interest-segments.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { ExplainedFigure, FigureExplanation } from '../request/repayment-schedule.ts';
import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import type { RateFrom, RateTerms } from '../terms/rate-ranges.ts';
import type { GraceType } from '../terms/repayment-terms.ts';
import {
  dayFields,
  equation,
  explainSum,
  fractionText,
  moneyText,
  type ExplanationContext,
  type Term,
} from '../explain/explanation-text.ts';

interface ExplainedSchedule extends ExplanationContext {
  readonly compiled: CompiledScheduleType;
  readonly rates: RateTerms;
  readonly counts: readonly number[];
  readonly lastRow: number;
  /** True: row 1 is paid on the start of the schedule (B7). */
  readonly isDueAtOnce: boolean;
}

/** How the principal of the row is calculated, before blocked principal is added. */
type PrincipalRule =
  /** The payment less interest: the accrued interest, or `planInterest` if the planned balance applies (G2, X2). */
  | { readonly rule: 'payment'; readonly planInterest?: number }
  | { readonly rule: 'part' }
  /** A percentage of the balance, or of the planned balance (B3, G2, X2). */
  | { readonly rule: 'percent'; readonly percent: string; readonly base: number }
  /** The balance, or the planned balance, less the residual; `capitalised` is negative interest that lowers it. */
  | (RepaidBalance & { readonly rule: 'rest'; readonly capitalised?: number })
  | { readonly rule: 'none'; readonly why: keyof typeof NO_PRINCIPAL }
  | { readonly rule: 'prepayment' }
  /** `due` if the interest is what the balance leaves of it (B7). */
  | { readonly rule: 'residual'; readonly due?: number }
  | { readonly rule: 'formula'; readonly text: string };

interface InterestFormula {
  readonly text: string;
  readonly readsDays: boolean;
  readonly percent: string | undefined;
}

const NO_PRINCIPAL = {
  grace: 'no principal in the grace period',
  'before-maturity': 'no principal before the end',
  'interest-exceeds-payment': 'no principal as the interest exceeds the payment',
};
const UNCOLLECTED = {
  Deferred: 'deferred',
  Spread: 'deferred to be spread',
  Capitalised: 'capitalised',
  Forgiven: 'forgiven',
} as const satisfies Record<GraceType, string>;
const HELD = { fixed: 'locked by the request', kept: 'kept through an early repayment' };
const PLAN_BALANCE = 'balance of the plan';
const ZERO_PERCENT = /^-?0(\.0+)?$/;

interface Draft {
  formula?: InterestFormula;
  uncollected?: Term;
  deferred?: Term;
  payment?: FigureExplanation;
  principal?: PrincipalRule;
  blocked: number;
  blockedInterest: number;
}

/** The explanations of a schedule. For each row call `begin`, then the methods that apply to it, then `end`. */
export class RowExplanations {
  /** Each row's entries from `remainingValue` to `pmt` or `overpaid`; those of charges, columns and total follow later. */
  readonly rows: (readonly FigureExplanation[])[] = [];
  readonly context: ExplainedSchedule;
  #draft: Draft = { blocked: 0, blockedInterest: 0 };
  #state!: LoanState;
  #rate: RateFrom | undefined;
  #previous: AmortisedRow | undefined;
  /** The payment calculated last. A payment by a formula applies only to its own row. */
  #solved: FigureExplanation | undefined;
  #isByFormula = false;

  constructor(context: ExplainedSchedule) {
    this.context = context;
  }

  begin(state: LoanState, { rate }: InterestSegment): void {
    this.#state = state;
    this.#rate = rate;
    if (this.#isByFormula) this.#solved = undefined;
    this.#isByFormula = false;
    this.#draft = { blocked: 0, blockedInterest: 0 };
  }

  interestFormula(formula: InterestFormula): void {
    this.#draft.formula = formula;
  }

  paymentFormula(amount: number, text: string): void {
    this.#solved = { figure: 'payment', amount, formula: equation(text, amount, this.context) };
    this.#isByFormula = true;
  }

  /** Notes a newly calculated level payment; `count` is the day-count numerator of its first row. */
  levelPayment(amount: number, repaid: RepaidBalance, row: RowPeriod, count: number): void {
    const { counts, isDueAtOnce } = this.context;
    const { rate } = row.segment;
    const isDue = isDueAtOnce && row.index === 0;
    const period = isDue ? (counts[1] ?? count) : count;
    // The closed annuity formula applies without rate bands, if all periods left have the same day-count numerator.
    const isEven = rate !== undefined && counts.slice(row.index + 1).every((other) => other === period);
    const fields = isEven
      ? this.#closedFields(repaid, { no: row.no, isDue }, { percent: rate.percent, count: period, amount })
      : this.#openFields(repaid, row.no, { rate, amount });
    this.#solved = { figure: 'payment', amount, ...fields };
  }

  equalPart(amount: number, repaid: RepaidBalance, rows: number): void {
    const formula = equation(`${this.#repaidText(repaid)} / ${rows}`, amount, this.context);
    this.#solved = { figure: 'payment', amount, base: repaid.balance, formula };
  }

  principal(rule: PrincipalRule): void {
    this.#draft.principal = rule;
    const payment = followsPayment(rule) ? this.#paymentInForce() : undefined;
    if (payment !== undefined) this.#draft.payment = payment;
  }

  block({ principal, interest }: { readonly principal?: number; readonly interest?: number }): void {
    if (principal !== undefined) this.#draft.blocked = principal;
    if (interest !== undefined) this.#draft.blockedInterest = interest;
  }

  uncollected(as: GraceType, amount: number): void {
    this.#draft.uncollected = { label: UNCOLLECTED[as], amount, isTakenAway: true };
  }

  /** `share` is given if the amount is an equal part of a total that is spread over a number of rows (G2). */
  collectDeferred(
    graceType: GraceType,
    amount: number,
    [firstRow, lastRow]: readonly [first: number, last: number],
    share?: { readonly total: number; readonly rows: number },
  ): void {
    const label = graceType === 'Spread' ? 'spread interest' : 'deferred interest';
    const after = firstRow === lastRow ? `of row ${firstRow}` : `of rows ${firstRow} to ${lastRow}`;
    const text = share && `round(${moneyText(share.total, this.context)} / ${share.rows})`;
    this.#draft.deferred = { label, amount, after, ...(text !== undefined && { text }) };
  }

  end(row: AmortisedRow): void {
    const { interest, principal, overpaid } = row;
    const { payment } = this.#draft;
    const terms = [
      { label: 'interest', amount: interest },
      { label: 'principal', amount: principal },
    ];
    this.rows.push([
      this.#explainRemaining(row),
      ...(payment === undefined ? [] : [payment]),
      ...this.#explainInterest(row),
      this.#explainPrincipal(row),
      explainSum('pmt', terms, interest + principal, this.context),
      ...(overpaid === undefined ? [] : [this.#explainOverpaid(principal, overpaid)]),
    ]);
    this.#previous = row;
  }

  #paymentInForce(): FigureExplanation | undefined {
    const { payment, hold } = this.#state;
    if (payment === undefined || hold === 'none') return this.#solved;
    return explainSum('payment', [{ label: HELD[hold], amount: payment }], payment, this.context);
  }

  #explainRemaining({ remaining }: AmortisedRow): FigureExplanation {
    const previous = this.#previous;
    const terms: Term[] =
      previous === undefined
        ? [{ label: 'balance at the start', amount: remaining }]
        : [
            { label: 'balance', amount: previous.remaining },
            { label: 'principal', amount: previous.principal, isTakenAway: true },
          ];
    if (previous !== undefined && previous.capitalised !== 0) {
      terms.push({ label: 'capitalised interest', amount: previous.capitalised });
    }
    return explainSum('remainingValue', terms, remaining, this.context);
  }

  #explainInterest(row: AmortisedRow): FigureExplanation[] {
    const { uncollected, deferred, blockedInterest } = this.#draft;
    const moves = [
      ...(uncollected === undefined ? [] : [uncollected]),
      ...(deferred === undefined ? [] : [deferred]),
      ...(blockedInterest === 0 ? [] : [{ label: 'blocked interest', amount: blockedInterest }]),
    ];
    if (moves.length === 0) return [this.#explainAccrued('interest', row)];
    const { accrued, interest, capitalised } = row;
    const label = 'accrued interest';
    const collected = explainSum('interest', [{ label, amount: accrued }, ...moves], interest, this.context);
    const entries = [this.#explainAccrued('accruedInterest', row), collected];
    if (capitalised === 0) return entries;
    const added = [{ label, amount: capitalised }];
    return [...entries, explainSum('capitalisedInterest', added, capitalised, this.context)];
  }

  #explainAccrued(figure: ExplainedFigure, row: AmortisedRow): FigureExplanation {
    const { accrued: amount, count, remaining } = row;
    const { formula, principal } = this.#draft;
    const { kind } = this.context.compiled.interest;
    const fraction = fractionText(count, this.context, row.to - row.from);
    if (principal?.rule === 'residual' && principal.due !== undefined) {
      const balance = { label: 'balance', amount: remaining, isTakenAway: true };
      const terms = [{ label: 'residual value', amount: principal.due }, balance];
      return explainSum(figure, terms, amount, this.context);
    }
    if (formula !== undefined) {
      return {
        figure,
        amount,
        ...(formula.readsDays && dayFields(fraction, this.context)),
        ...(formula.percent !== undefined && { rates: [formula.percent] }),
        formula: equation(formula.text, amount, this.context),
      };
    }
    if (count === 0 || kind === 'Formula') {
      return explainSum(figure, [{ label: 'no interest', amount }], amount, this.context);
    }
    const slices = this.#listSlices(remaining);
    const parts = slices.map(({ percent, base }) => {
      const growth =
        kind === 'EffectiveRate'
          ? `((1 + ${percent} %)^(${fraction.text}) - 1)`
          : `${percent} % * ${fraction.text}`;
      return `${moneyText(base, this.context)} * ${growth}`;
    });
    return {
      figure,
      amount,
      ...dayFields(fraction, this.context),
      rates: slices.map(({ percent }) => percent),
      base: slices.reduce((sum, { base }) => sum + base, 0),
      formula: equation(parts.join(' + '), amount, this.context),
    };
  }

  /** The whole balance at the rate in force, or one part for each band that it reaches (R2). */
  #listSlices(balance: number): readonly { readonly percent: string; readonly base: number }[] {
    const { rates } = this.context;
    if (rates.kind === 'rows') {
      return this.#rate === undefined ? [] : [{ percent: this.#rate.percent, base: balance }];
    }
    if (rates.whole) {
      const inForce = rates.bands.findLast((band, index) => index === 0 || band.from <= balance);
      return inForce === undefined ? [] : [{ percent: inForce.percent, base: balance }];
    }
    const reached = rates.bands.filter((band, index) => index === 0 || band.from < balance);
    return reached.map(({ percent, from }, index) => {
      const start = index === 0 ? 0 : from;
      return { percent, base: (reached[index + 1]?.from ?? balance) - start };
    });
  }

  #explainPrincipal(row: AmortisedRow): FigureExplanation {
    const { blocked } = this.#draft;
    const rule = this.#draft.principal as PrincipalRule;
    const terms = this.#principalTerms(rule, row);
    if (blocked !== 0) terms.push({ label: 'blocked', amount: blocked });
    const fields = rule.rule === 'percent' ? { rates: [rule.percent], base: rule.base } : {};
    return { ...explainSum('principal', terms, row.principal, this.context), ...fields };
  }

  #principalTerms(rule: PrincipalRule, row: AmortisedRow): Term[] {
    const { principal: amount, remaining, accrued, overpaid } = row;
    const { payment } = this.#draft;
    switch (rule.rule) {
      case 'payment': {
        const { planInterest: interest = accrued } = rule;
        const label = rule.planInterest === undefined ? 'interest' : 'interest of the plan';
        return [
          { label: 'payment', amount: payment?.amount ?? amount + interest },
          { label, amount: interest, isTakenAway: true },
        ];
      }
      case 'part':
        return [{ label: 'equal part', amount: payment?.amount ?? amount }];
      case 'percent': {
        const label = rule.base === remaining ? '' : `${PLAN_BALANCE} `;
        const text = `${rule.percent} % * ${label}${moneyText(rule.base, this.context)}`;
        return [{ label: '', amount, text }];
      }
      case 'rest': {
        const { balance, residual, capitalised = 0 } = rule;
        const terms: Term[] = [{ label: balance === remaining ? 'balance' : PLAN_BALANCE, amount: balance }];
        if (capitalised !== 0) terms.push({ label: 'capitalised interest', amount: capitalised });
        if (residual !== 0) terms.push({ label: 'residual', amount: residual, isTakenAway: true });
        return terms;
      }
      case 'none':
        return [{ label: NO_PRINCIPAL[rule.why], amount: 0 }];
      case 'prepayment':
        return [
          { label: overpaid === undefined ? 'repaid early as requested' : 'owed, repaid early', amount },
        ];
      case 'residual':
        return [{ label: 'residual', amount }];
      case 'formula':
        return [{ label: '', amount, text: rule.text }];
      default:
        return rule satisfies never;
    }
  }

  #explainOverpaid(principal: number, overpaid: number): FigureExplanation {
    const terms = [
      { label: 'prepayment', amount: principal + overpaid },
      { label: 'principal', amount: principal, isTakenAway: true },
    ];
    return explainSum('overpaid', terms, overpaid, this.context);
  }

  #repaidText({ balance, residual }: RepaidBalance): string {
    const text = moneyText(balance, this.context);
    return residual === 0 ? text : `(${text} - ${moneyText(residual, this.context)})`;
  }

  /** Uneven periods and bands have no closed formula, so the text states what the payment repays, and the rates. */
  #openFields(
    { balance, residual }: RepaidBalance,
    firstRow: number,
    { rate, amount }: { readonly rate: RateFrom | undefined; readonly amount: number },
  ) {
    const { rates, lastRow } = this.context;
    const [from, to] = [moneyText(balance, this.context), moneyText(residual, this.context)];
    const rows = firstRow === lastRow ? `row ${firstRow}` : `rows ${firstRow} to ${lastRow}`;
    const where = rates.kind === 'bands' && rates.whole ? 'on a whole balance from' : 'above';
    const bands = rates.kind === 'bands' ? rates.bands : [];
    const used = rates.kind === 'bands' ? bands : rate === undefined ? [] : [rate];
    const text =
      used.length === 1
        ? `${used[0]?.percent} %`
        : bands
            .map(({ percent, from: start }) => `${percent} % ${where} ${moneyText(start, this.context)}`)
            .join(' and ');
    return {
      rates: used.map(({ percent }) => percent),
      base: balance,
      formula: `level payment that brings balance ${from} to ${to} over ${rows} at ${text}: ${moneyText(amount, this.context)}`,
    };
  }

  /**
   * (balance - residual v^n) i / (1 - v^n), with i the interest of one unit in a period, v = 1/(1+i) and n rows. If the
   * first payment is due at once, the residual counts one period less, and the payment is divided by 1+i (B7).
   */
  #closedFields(
    repaid: RepaidBalance,
    { no: firstRow, isDue }: { readonly no: number; readonly isDue: boolean },
    { percent, count, amount }: { readonly percent: string; readonly count: number; readonly amount: number },
  ) {
    const { compiled, lastRow } = this.context;
    const rows = lastRow - firstRow + 1;
    const fraction = fractionText(count, this.context);
    const isEffective = compiled.interest.kind === 'EffectiveRate';
    const growth = isEffective ? `(1 + ${percent} %)` : `(1 + ${percent} % * ${fraction.text})`;
    const discountBy = (periods: number) =>
      isEffective ? `${growth}^(-${periods} * ${fraction.text})` : `${growth}^-${periods}`;
    const discount = discountBy(rows);
    const early = isDue ? ` / ${isEffective ? `${growth}^(${fraction.text})` : growth}` : '';
    const interest = isEffective ? `(${growth}^(${fraction.text}) - 1)` : `${percent} % * ${fraction.text}`;
    const owed =
      repaid.residual === 0
        ? moneyText(repaid.balance, this.context)
        : `(${moneyText(repaid.balance, this.context)} - ${moneyText(repaid.residual, this.context)} * ${discountBy(rows - Number(isDue))})`;
    const text = ZERO_PERCENT.test(percent)
      ? `${this.#repaidText(repaid)} / ${rows}`
      : `${owed} * ${interest} / (1 - ${discount})${early}`;
    return {
      ...dayFields(fraction, this.context),
      rates: [percent],
      base: repaid.balance,
      formula: equation(text, amount, this.context),
    };
  }
}

function followsPayment(principal: PrincipalRule): boolean {
  if (principal.rule === 'none') return principal.why === 'interest-exceeds-payment';
  return principal.rule !== 'percent' && principal.rule !== 'prepayment';
}
