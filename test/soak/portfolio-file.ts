import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { contractOf, type PortfolioContract } from './portfolio-contract.ts';
import { expectedSchedule } from './expected-schedule.ts';

/** Parameters that determine a portfolio and its schedules. */
export interface Portfolio {
  readonly contracts: number;
  readonly seed: number;
  /** Start date of contracts without dates (D2). */
  readonly asOf: string;
}

/**
 * One contract in this number includes its previous schedule; one in each would make the file a hundred times larger.
 */
const FORMER_EVERY = 100;

export function originTimestampMs({ asOf }: Portfolio): number {
  return Date.parse(`${asOf}T00:00:00Z`);
}

/**
 * Returns the previous schedule as JSON, calculated from the same terms at another rate, or undefined when the file
 * has none.
 */
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

/** Writes the portfolio as NDJSON, one contract per line. */
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
