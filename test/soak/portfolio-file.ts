import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { contractOf, type PortfolioContract } from './portfolio-contract.ts';
import { expectedSchedule } from './expected-schedule.ts';

/** What a portfolio is made from, and what its schedules follow from. */
export interface Portfolio {
  readonly contracts: number;
  readonly seed: number;
  /** The day that contracts without a date begin on (D2). */
  readonly asOf: string;
}

/** Every so many contracts one holds its former schedule; each would make the file hundred times as large. */
const FORMER_EVERY = 100;

export function originTimestampMs({ asOf }: Portfolio): number {
  return Date.parse(`${asOf}T00:00:00Z`);
}

/** The schedule that a contract had, as text: of the same terms at another rate; undefined where the file has none. */
export function formerSchedule(
  portfolio: Portfolio,
  index: number,
  contract: PortfolioContract,
): string | undefined {
  if (index % FORMER_EVERY !== 0) return undefined;
  const { InterestPercent } = contract.jsonParam;
  const former = typeof InterestPercent === 'number' ? { InterestPercent: InterestPercent + 1 } : {};
  return expectedSchedule({ ...contract.jsonParam, ...former }, originTimestampMs(portfolio));
}

/** Writes the portfolio as NDJSON, one contract a line. */
export async function writePortfolio(file: string, portfolio: Portfolio): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0; index < portfolio.contracts; index += 1) {
    const contract = contractOf(portfolio.seed, index);
    const former = formerSchedule(portfolio, index, contract);
    const line = JSON.stringify(contract);
    const whole = former === undefined ? line : `${line.slice(0, -1)},"schedule":${former}}`;
    if (!stream.write(`${whole}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}
