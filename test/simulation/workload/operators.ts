import { actOnSelected } from '../../../shared/dead-letters/act-on-dead-letters.ts';
import { deadLetterTopics, sharedDeadLetterLog } from '../../../shared/dead-letters/dead-letter-log.ts';
import { scanDeadLetters, type Selection } from '../../../shared/dead-letters/find-dead-letters.ts';
import { writeRecords } from '../../../shared/product/storage/write-records.ts';
import { readCatalogueRecord } from '../../../shared/product/catalogue/read-record.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import { createCommandProofs } from '../../../shared/notification/command-proof.ts';
import { SIMULATED_SECRET } from '../seeded-system.ts';
import { CHANGING_PRODUCT } from './action-bodies.ts';
import type { CatalogueUpdate, Redrive } from './plan.ts';
import type { World } from './world.ts';

const REPEAT_MS = 2_000;
const MAX_RECORDS = 100_000;
const NOTIFICATIONS: Selection = { topics: ['notification'] };

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
    const log = sharedDeadLetterLog(broker);
    const context = {
      ...ports,
      log,
      codec,
      proofs: createCommandProofs(SIMULATED_SECRET),
      actor: { operator: 'simulated', run: id, reason: undefined },
      topics: deadLetterTopics(''),
      maxAuditRecords: MAX_RECORDS,
      signal: new AbortController().signal,
    };
    const scan = await scanDeadLetters(context, NOTIFICATIONS, MAX_RECORDS);
    const { counts } = await actOnSelected(context, scan, {
      selection: NOTIFICATIONS,
      action: 'redrive',
      options: { acceptDuplicates, dryRun: false, again: false, force: false },
    });
    await log.close();
    lines = [JSON.stringify(counts)];
  } catch (error) {
    lines = [`failed: ${errorText(error)}`];
  }
  history.redrives.push({ atMs, acceptDuplicates, lines });
  for (const line of lines) journal.note('operator', line, id);
}
