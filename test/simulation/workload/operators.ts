import { runDeadLettersCommand } from '../../../scripts/dead-letters/command.ts';
import { letterTopics } from '../../../shared/dead-letters/letter-context.ts';
import { brokerLetterLog } from '../../../shared/dead-letters/letter-log.ts';
import { writeRecords } from '../../../shared/catalogue/write-records.ts';
import { readCatalogueRecord } from '../../../shared/contract/catalogue-files/read-record.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import { createCommandProofs } from '../../../shared/notification/command-proof.ts';
import { SIMULATED_SECRET } from '../seeded-system.ts';
import { CHANGING_PRODUCT } from './action-bodies.ts';
import type { CatalogueUpdate, Redrive } from './plan.ts';
import type { World } from './world.ts';

const REPEAT_MS = 2_000;
const REDRIVES_PER_SECOND = 50;

/** Publishes a version of the changing product, until it is acknowledged. */
export async function updateCatalogue(world: World, { id, revision }: CatalogueUpdate): Promise<void> {
  const { codec, history, journal, system } = world;
  const written = { revision, atMs: system.monotonic.elapsedMs(), isAcknowledged: false };
  history.revisions.push(written);
  while (!written.isAcknowledged && !world.isOver()) {
    journal.note('operator', `publishes revision ${revision} of ${CHANGING_PRODUCT}`, id);
    const { broker } = world.startClient(`catalogue ${id}`);
    const target = { broker, codec, topic: TOPIC.catalogueRecords, clientId: `catalogue ${id}` };
    try {
      await writeRecords(target, { put: [productOf(revision)], remove: [] });
      written.isAcknowledged = true;
      journal.note('operator', `has published revision ${revision}`, id);
    } catch (error) {
      journal.note('operator', `could not publish: ${errorText(error)}`, id);
      await sleep(system.timers, REPEAT_MS);
    }
  }
}

/** The name of the changing product in a revision. */
export function revisionName(revision: number): string {
  return `Revision ${revision}`;
}

function productOf(revision: number) {
  const read = readCatalogueRecord(
    'product',
    {
      Code: CHANGING_PRODUCT,
      Id: '00000000-0000-4000-8000-000000000001',
      Name: revisionName(revision),
      Status: 'Approved',
      StartDate: '2020-01-01',
      EndDate: null,
      BankingProductType: 'TL',
      Display: {},
      GeneralData: { PeriodicityType: 'Monthly' },
      Availability: { Currency: 'EUR', PeriodType: 'Months' },
    },
    'simulation',
  );
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  return read.entry;
}

/** Redrives all dead letters of notifications, as `npm run dead-letters -- redrive --topic notification` does. */
export async function redrive(world: World, { id, acceptDuplicates }: Redrive): Promise<void> {
  const { codec, history, journal, system } = world;
  journal.note('operator', `redrives dead letters${acceptDuplicates ? ' and accepts second sends' : ''}`, id);
  const { broker, ports } = world.startClient(`redrive ${id}`);
  const atMs = system.monotonic.elapsedMs();
  let lines: readonly string[];
  try {
    const report = await runDeadLettersCommand(
      {
        name: 'redrive',
        selection: {
          topics: ['notification'],
          codes: [],
          types: [],
          channel: undefined,
          key: undefined,
          sinceMs: undefined,
          untilMs: undefined,
          ids: [],
        },
        limit: undefined,
        send: {
          dryRun: false,
          ratePerSecond: REDRIVES_PER_SECOND,
          again: false,
          force: false,
          acceptDuplicates,
        },
      },
      {
        ...ports,
        log: await brokerLetterLog(broker),
        codec,
        proofs: createCommandProofs(SIMULATED_SECRET),
        actor: { operator: 'simulated', run: id, reason: undefined },
        topics: letterTopics(''),
        maxAuditRecords: 100_000,
        onProgress: () => undefined,
        signal: new AbortController().signal,
      },
    );
    lines = report.lines;
  } catch (error) {
    lines = [`failed: ${errorText(error)}`];
  }
  history.redrives.push({ atMs, acceptDuplicates, lines });
  for (const line of lines) journal.note('operator', line, id);
}
