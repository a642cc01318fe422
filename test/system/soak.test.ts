import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { runPortfolio } from '../soak/portfolio-run.ts';
import { rollingRestart } from '../soak/rolling-restart.ts';
import { SHORT_SOAK } from '../soak/soak-sizes.ts';
import { portfolioFaults, rollingFaults, upstreamFaults } from '../soak/soak-verdict.ts';
import { openSoakWorld, type SoakWorld } from '../soak/soak-world.ts';
import { runUpstream } from '../soak/upstream-events.ts';

/** The short form of `npm run test:soak`, on three nodes of its own: a broker is killed, which no other suite may meet. */
const world = await openWorld();
const suite = world === undefined ? describe.skip : describe;

suite('a system of three Kafka nodes under kill -9 and restarts', () => {
  let open: SoakWorld;
  beforeAll(() => {
    if (world === undefined) throw new Error('there is no Kafka of its own to test with');
    open = world;
  });
  afterAll(() => open.close());

  it('gives every contract of a portfolio exactly one result while workers, a broker and the command are killed', async () => {
    const report = await runPortfolio(open, SHORT_SOAK.portfolio);
    tell('portfolio', report);
    expect(portfolioFaults(report)).toEqual([]);
    expect(report).toMatchObject({ workerKills: 2, commandKills: 1, lines: report.contracts });
  });

  it('answers every array of an upstream system that speaks Kafka only, in its order, while a worker is killed', async () => {
    const report = await runUpstream(open, SHORT_SOAK.upstream);
    tell('upstream', report);
    expect(upstreamFaults(report)).toEqual([]);
    expect(report.workerKills).toBe(1);
  });

  it('loses and swaps no reply while all processes are restarted one after another under load', async () => {
    const report = await rollingRestart(open, SHORT_SOAK.rolling);
    tell('rolling restart', report);
    expect(rollingFaults(report)).toEqual([]);
    expect(report.answered).toBeGreaterThan(report.restarts);
  });
});

function tell(name: string, report: object): void {
  process.stderr.write(`${name}: ${JSON.stringify(report)}\n`);
}

/** Undefined, said loudly, on a machine without Java; with CI=true that is a fault, as everything else is. */
async function openWorld(): Promise<SoakWorld | undefined> {
  const given = process.env['KAFKA_BROKERS'] ?? '';
  try {
    return await openSoakWorld({
      ...(given === '' ? {} : { brokers: given.split(',') }),
      say: (line) => process.stderr.write(`soak: ${line}\n`),
    });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA OF THREE NODES: the soak test is left out: ${errorText(error)}\n`);
    return undefined;
  }
}
