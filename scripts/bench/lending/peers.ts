/**
 * Packages that others calculate loans and annual rates with, asked for the same loan. They are installed in this folder by
 * `npm run bench` itself.
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

interface PeerSchedule {
  readonly payments: readonly unknown[];
}

/** A schedule with dates and decimals, but without charges and annual rates; holidays are the package's own. */
interface DatedSchedules {
  calculateSchedule(loan: {
    amount: string;
    rate: string;
    term: number;
    paymentOnDay: number;
    issueDate: string;
    scheduleType: string;
  }): PeerSchedule;
}

const DatedLoans = require('loan-schedule.js') as {
  new (options: object): DatedSchedules;
  readonly ANNUITY_SCHEDULE: string;
};
const { Loan: floatLoan } = require('loanjs') as {
  readonly Loan: (
    amount: number,
    rows: number,
    rate: number,
    type: string,
  ) => { readonly installments: readonly unknown[] };
};
const newtonRate = require('xirr') as (flows: readonly DatedAmount[]) => number;
const { XIRR } = require('@formulajs/formulajs') as {
  readonly XIRR: (amounts: readonly number[], dates: readonly Date[]) => number;
};
const { irr } = require('financial') as { readonly irr: (amounts: readonly number[]) => number };

/** Dated annuity of loan-schedule.js: 250,000 at 7.25 % from 15 January 2024. */
export function datedAnnuity(rows: number): () => PeerSchedule {
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

/** Annuity of loanjs in binary floating point, without dates. */
export function floatAnnuity(rows: number): () => unknown {
  return () => floatLoan(250_000, rows, 7.25, 'annuity');
}

/** Annual rate of dated flows by the package xirr. */
export function rateByXirr(flows: readonly DatedAmount[]): number {
  return newtonRate(flows);
}

/** The same by the spreadsheet function of formulajs. */
export function rateByFormulajs(amounts: readonly number[], dates: readonly Date[]): number {
  return XIRR(amounts, dates);
}

/** Rate of equal periods by the package financial. */
export function rateByFinancial(amounts: readonly number[]): number {
  return irr(amounts);
}

/** A package and the version that is measured. */
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
  const file = path.join(import.meta.dirname, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as Peer).version;
}
