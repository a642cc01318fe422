import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { runPortfolio } from '../soak/portfolio-run.ts';
import { rollingRestart } from '../soak/rolling-restart.ts';
import { SHORT_SOAK } from '../soak/soak-sizes.ts';
import { portfolioFaults, rollingFaults } from '../soak/soak-verdict.ts';
import { openSoakWorld, type SoakWorld } from '../soak/soak-world.ts';

/** The short form of `npm run test:soak`, on a separate Kafka of three nodes, because it kills a broker. */
const world = await openWorld();
const suite = world === undefined ? describe.skip : describe;

suite('a system of three Kafka nodes under kill -9 and restarts', () => {
  let open: SoakWorld;
  beforeAll(() => {
    if (world === undefined) throw new Error('Kafka was not started');
    open = world;
  });
  afterAll(() => open.close());

  it('produces exactly one result for every contract of a portfolio while workers, a broker and the command are killed', async () => {
    const report = await runPortfolio(open, SHORT_SOAK.portfolio);
    print('portfolio', report);
    expect(portfolioFaults(report)).toEqual([]);
    expect(report).toMatchObject({ workerKills: 2, commandKills: 1, lines: report.contracts });
  });

  it('returns every reply to its caller while all processes restart one after another under load', async () => {
    const report = await rollingRestart(open, SHORT_SOAK.rolling);
    print('rolling restart', report);
    expect(rollingFaults(report)).toEqual([]);
    expect(report.answered).toBeGreaterThan(report.restarts);
  });
});

function print(name: string, report: object): void {
  process.stderr.write(`${name}: ${JSON.stringify(report)}\n`);
}

/** Undefined, with a message on stderr, on a machine without Java; throws there if CI=true. */
async function openWorld(): Promise<SoakWorld | undefined> {
  const given = process.env['KAFKA_BROKERS'] ?? '';
  try {
    return await openSoakWorld({
      ...(given === '' ? {} : { brokers: given.split(',') }),
      say: (line) => process.stderr.write(`soak: ${line}\n`),
    });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA OF THREE NODES: the soak test is skipped: ${errorText(error)}\n`);
    return undefined;
  }
}
