import { examplesOf } from '../../support/builders/action-examples.ts';
import { Picks } from '../../support/random/pick.ts';

export interface ActionBody {
  readonly requestType: string;
  readonly body: object;
}

export const INVALID_BODIES: readonly (object | string)[] = [
  '{"jsonParam": ',
  '[]',
  {},
  { jsonParam: { Amount: 'one hundred', InstallmentsNo: 6 } },
  { jsonParam: { ScheduleType: 'EqualInstallments', Amount: -1, InstallmentsNo: 0, InterestPercent: 7 } },
];

/** Names of fields that no request has: misspelt, with separators of headers, and of every plane of Unicode. */
const UNKNOWN_FIELDS = ['InstalmentsNo', 'a, b; c', 'Dobândă', '利率', '💶'];

const LOOK_UP_DAY = '2026-01-15';

/** Amounts contain the number, so that a swapped answer is noticed. */
export function chooseActionBody(picks: Picks, number: number, from = 'all'): ActionBody {
  const calculations = [schedule, schedule, schedule, paymentValue, rate];
  const lookUps = [productByCode, productByCode, simulation];
  const choose = picks.of(...calculations, ...(from === 'all' ? lookUps : []));
  return choose(picks, number);
}

export function chooseLastBodies(number: number): readonly ActionBody[] {
  const picks = new Picks(number);
  return [paymentValue, productByCode, simulation].map((choose) => choose(picks, number));
}

function schedule(picks: Picks, number: number): ActionBody {
  const terms = {
    ScheduleType: picks.of('EqualInstallments', 'EqualPrincipal', 'Balloon', 'InterestOnly', 'NoSuchType'),
    InterestPercent: picks.whole(1, 20),
    Amount: 1_000 + number,
    InstallmentsNo: picks.whole(1, 24),
    PeriodicityType: picks.of('Monthly', 'Quarterly'),
    InstallmentDay: picks.whole(1, 28),
    ActivationDate: '2024-01-01',
    ResidualValue: picks.maybe(20, () => 100),
    CalculateDAE: picks.of(undefined, 0, 2),
    Explain: picks.maybe(10, () => true),
    ...(picks.chance(20) ? { HolidayShift: true, HolidayCountry: 'RO' } : {}),
    // Unknown fields are ignored and reported (E3), whatever their names.
    ...(picks.chance(10) ? { [picks.of(...UNKNOWN_FIELDS)]: number } : {}),
  };
  return { requestType: 'CalculateRepaymentScheduleRequest', body: { jsonParam: terms } };
}

function paymentValue(picks: Picks, number: number): ActionBody {
  const terms = {
    InstallmentsNo: picks.whole(1, 60),
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: 1_000 + number,
    InterestPercent: picks.whole(0, 15),
  };
  return { requestType: 'CalculatePMTRequest', body: { jsonParam: terms } };
}

function rate(picks: Picks, number: number): ActionBody {
  const CashFlows = [
    { Date: '2025-01-15', Amount: -1_000 - number },
    { Date: '2025-07-15', Amount: 500 },
    { Date: '2026-01-20', Amount: 540 + picks.whole(0, 100) + number },
  ];
  return { requestType: 'CalculateRateRequest', body: { jsonParam: { Rule: 'DAE', CashFlows } } };
}

function productByCode(picks: Picks, number: number): ActionBody {
  const BankingProductCode = picks.of('TL-PERSONAL', 'MG-HOME', 'CC-CLASSIC', `NONE-${number}`);
  const flags = { displayBPDetails: true, displayBPAvailability: picks.chance(50) };
  const body = { BankingProductCode, ...flags, Date: LOOK_UP_DAY };
  return { requestType: 'GetBankingProductByCodeRequest', body };
}

function simulation(picks: Picks, number: number): ActionBody {
  const [{ request }] = examplesOf('PLAT_BP_Simulate');
  const body = { ...request, amount: 5_000 + number, loanPeriod: picks.whole(6, 12) };
  return { requestType: 'SimulateRequest', body };
}
