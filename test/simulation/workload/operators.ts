import { actOnSelected } from '../../../shared/dead-letters/act-on-dead-letters.ts';
import { deadLetterTopics, sharedDeadLetterLog } from '../../../shared/dead-letters/dead-letter-log.ts';
import { scanDeadLetters, type Selection } from '../../../shared/dead-letters/find-dead-letters.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { createCommandProofs } from '../../../shared/notification/command-proof.ts';
import { SIMULATED_SECRET } from '../seeded-system.ts';
import type { Redrive } from './plan.ts';
import type { World } from './world.ts';

const MAX_RECORDS = 100_000;
const NOTIFICATIONS: Selection = { topics: ['notification'] };

export async function redrive(world: World, { id, acceptDuplicates }: Redrive): Promise<void> {
  const { codec, journal } = world;
  journal.note('operator', `redrives dead letters${acceptDuplicates ? ' and accepts second sends' : ''}`, id);
  const { broker, ports } = world.startClient(`redrive ${id}`);
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
    journal.note('operator', JSON.stringify(counts), id);
  } catch (error) {
    journal.note('operator', `failed: ${errorText(error)}`, id);
  }
}
