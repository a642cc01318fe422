/** Findings of a schedule calculation in the words of the simulation request that it was made for (E1, E3). */

import type { Fault, Findings, Warning } from '../lending/refusal.ts';
import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import type { SimulateRequest } from './simulate-request.ts';

/** Members of a schedule request that stand for a member of the simulation request. */
const MEMBERS: Readonly<Record<string, keyof SimulateRequest>> = {
  Amount: 'amount',
  InstallmentsNo: 'loanPeriod',
  ScheduleType: 'scheduleType',
  PeriodicityType: 'scheduleType',
  ProductType: 'scheduleType',
  ResidualValue: 'scheduleType',
  CapitalPercent: 'scheduleType',
  installmentValue: 'installmentValue',
  principalValue: 'principalValue',
};

const SENT_RATES = /^MultipleInterestRates\b/;
const CHARGE = /^(?<list>Commission|Insurance)\[(?<place>\d+)\]/;

/** Notes the faults of a calculation by the members that the caller sent, each once over all offers. */
export function noteFaults(
  faults: readonly Fault[],
  request: SimulateRequest,
  terms: RepaymentScheduleRequest,
  findings: Findings,
): void {
  for (const fault of faults) {
    const told = toldFault(fault, request, terms);
    const isKnown = findings.faults.some(
      ({ path, code, message }) => path === told.path && code === told.code && message === told.message,
    );
    if (!isKnown) findings.faults.push(told);
  }
}

/** Each fault once: what is wrong with a charge is found anew for every offer that it belongs to. */
export function distinctFaults(faults: readonly Fault[]): readonly Fault[] {
  return [
    ...new Map(faults.map((fault) => [`${fault.path} ${fault.code} ${fault.message}`, fault])).values(),
  ];
}

/** Warnings about members that the caller sent; what the product brought along is no concern of the caller. */
export function noteWarnings(warnings: readonly Warning[], findings: Findings): void {
  for (const { path, code } of warnings) {
    const isSent = path === 'installmentValue' || path === 'principalValue';
    if (isSent && !findings.warnings.some((known) => known.path === path)) findings.warn(path, code);
  }
}

/** Only a locked value is missing that a simulation could send (400): what else a schedule lacks is due to the product (422). */
function toldFault(fault: Fault, request: SimulateRequest, terms: RepaymentScheduleRequest): Fault {
  const { path, code, message, status } = fault;
  if (SENT_RATES.test(path) && (request.jsonMultipleInterestRates?.length ?? 0) > 0) {
    return { path: path.replace(SENT_RATES, 'jsonMultipleInterestRates'), code, message, status };
  }
  if (path === 'InterestPercent' && (request.jsonInputFormula?.interestInput?.length ?? 0) > 0) {
    return {
      path: 'jsonInputFormula.interestInput',
      code,
      message: `must give a rate: it ${message}`,
      status,
    };
  }
  const member = MEMBERS[path];
  if (member === path) return fault;
  if (member === 'amount' || member === 'loanPeriod') {
    return { path: member, code, message, status: 422 };
  }
  if (member === 'scheduleType' && code === 'missing') {
    const told = `must not be a type that needs ${path}, which a simulation does not have`;
    return { path: member, code: 'not-allowed', message: told, status: 422 };
  }
  return {
    path: member ?? 'productCode',
    code: code === 'missing' ? 'not-allowed' : code,
    message: `must give terms that can be calculated: ${nameOf(path, terms)} ${message}`,
    status: 422,
  };
}

/** A charge is told by its name, anything else by its member. */
function nameOf(path: string, { Commission, Insurance }: RepaymentScheduleRequest): string {
  const groups = CHARGE.exec(path)?.groups;
  if (groups === undefined) return path;
  const place = Number(groups['place']);
  const isFee = groups['list'] === 'Commission';
  const name = isFee ? Commission?.[place]?.FeeName : Insurance?.[place]?.InsuranceName;
  const member = path.replace(CHARGE, '').replace(/^\./, '');
  return `${isFee ? 'commission' : 'insurance'} ${name ?? place}${member === '' ? '' : `, ${member},`}`;
}
