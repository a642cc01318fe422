/**
 * Other packages that calculate loans and annual rates, applied to the same loan. `npm run bench` installs them into
 * scripts/bench.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** A dated amount in major units. */
export interface DatedAmount {
  readonly amount: number;
  readonly when: Date;
}

interface DatedLoan {
  readonly amount: string;
  readonly rate: string;
  readonly term: number;
  readonly paymentOnDay: number;
  readonly issueDate: string;
  readonly scheduleType: string;
}

const DatedLoans = require('loan-schedule.js') as {
  new (options: object): { calculateSchedule(loan: DatedLoan): { readonly payments: readonly unknown[] } };
  readonly ANNUITY_SCHEDULE: string;
};
const { Loan: floatLoan } = require('loanjs') as {
  readonly Loan: (amount: number, rows: number, rate: number, type: string) => unknown;
};

/**
 * The dated annuity of loan-schedule.js for 250,000 at 7.25 % from 15 January 2024, with decimals and the holidays of
 * the package, but without charges and annual rates.
 */
export function datedAnnuity(rows: number): () => unknown {
  const schedules = new DatedLoans({});
  const loan = {
    amount: '250000',
    rate: '7.25',
    term: rows,
    paymentOnDay: 15,
    issueDate: '15.01.2024',
    scheduleType: DatedLoans.ANNUITY_SCHEDULE,
  };
  return () => schedules.calculateSchedule(loan);
}

/** The annuity of loanjs in binary floating point, without dates. */
export function floatAnnuity(rows: number): () => unknown {
  return () => floatLoan(250_000, rows, 7.25, 'annuity');
}

/** The annual rate of dated flows by the package xirr. */
export const rateByXirr = require('xirr') as (flows: readonly DatedAmount[]) => number;

/** The same by the XIRR function of formulajs. */
export const { XIRR: rateByFormulajs } = require('@formulajs/formulajs') as {
  readonly XIRR: (amounts: readonly number[], dates: readonly Date[]) => number;
};

/** The rate of flows at equal periods by the package financial. */
export const { irr: rateByFinancial } = require('financial') as {
  readonly irr: (amounts: readonly number[]) => number;
};

/** A package and its measured version. */
export interface Peer {
  readonly name: string;
  readonly version: string;
}

/** All packages measured here. */
export function peers(): readonly Peer[] {
  const names = ['loan-schedule.js', 'loanjs', 'xirr', '@formulajs/formulajs', 'financial', 'decimal.js'];
  return names.map((name) => ({ name, version: versionOf(name) }));
}

/** Not every package lets its package.json be imported. */
function versionOf(name: string): string {
  const file = path.join(import.meta.dirname, '../node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as Peer).version;
}
