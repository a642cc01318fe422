/** A portfolio whose previous schedules had other rates: contracts that fall, stay, rise and fail. */
import { PLAIN_LOAN } from './portfolio-lines.ts';

const MONTHS = [6, 12, 24, 36];
/** The former rate less the new one; zero leaves the schedule nearly unchanged. */
const RATE_STEPS = [0, -0.75, 0.05, 0, 0.5, 1.5, -2];
const RATE = 7.25;
const MONTHS_AND_PERCENT = 1_200;
const CENTS = 100;

/** Lines of NDJSON. Every tenth contract is new, and every fiftieth fails. */
export function repricedPortfolio(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const amount = 5_000 + (index % 400) * 100;
    const months = MONTHS[index % MONTHS.length] ?? 1;
    const step = RATE_STEPS[index % RATE_STEPS.length] ?? 0;
    const jsonParam = {
      ...PLAIN_LOAN,
      Amount: number % 50 === 0 ? -amount : amount,
      InstallmentsNo: months,
      Currency: number % 3 === 0 ? 'EUR' : 'RON',
    };
    const schedule = number % 10 === 0 ? undefined : levelSchedule(amount, months, RATE + step);
    const id = number === 50 ? '<img src=x onerror=alert(1)>' : `LN-${String(number).padStart(6, '0')}`;
    return JSON.stringify({ id, jsonParam, schedule });
  });
  return `${lines.join('\n')}\n`;
}

function levelSchedule(amount: number, months: number, rate: number) {
  const monthly = rate / MONTHS_AND_PERCENT;
  const payment = toCents((amount * monthly) / (1 - (1 + monthly) ** -months));
  let balance = amount;
  return Array.from({ length: months }, (_, index) => {
    const interest = toCents(balance * monthly);
    const principal = index === months - 1 ? balance : toCents(payment - interest);
    balance = toCents(balance - principal);
    return {
      InstallmentNo: index + 1,
      Principal: principal,
      Interest: interest,
      TotalInstallment: toCents(principal + interest),
    };
  });
}

function toCents(value: number): number {
  return Math.round(value * CENTS) / CENTS;
}
