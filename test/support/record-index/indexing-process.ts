/** Adds numbered records to an index, from its position on, as fast as they are written, until it is killed. */

import { openIndexFile, RecordIndex } from '../../../shared/messaging/record-index/record-index.ts';
import { systemClock, systemTimers } from '../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';

const KEYS = 5_000;
const RECORDS_PER_TURN = 40;

const [, , folder = ''] = process.argv;
const index = new RecordIndex({
  name: 'test',
  file: openIndexFile(folder, 'test', 'test', silentLog),
  retentionMs: Infinity,
  clock: systemClock,
  limits: { waitingBytes: 100_000 },
  timers: systemTimers,
  log: silentLog,
});
let next = index.positions[0]?.offset ?? 0;
process.stdout.write(`${next}\n`);

const addSome = (): void => {
  for (let count = 0; count < RECORDS_PER_TURN && index.accepts(); count += 1) {
    index.put(`key ${next % KEYS}`, { value: Buffer.from(String(next)), writtenAtMs: next, isOpen: false });
    next += 1;
    index.passed({ topic: 't', partition: 0, offset: next });
  }
  setImmediate(addSome);
};
addSome();
