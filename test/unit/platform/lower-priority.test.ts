import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { lowerPriority } from '../../../shared/platform/lower-priority.ts';

const refuse = (): void => {
  throw new Error('not permitted');
};

it('the process gives way to others, but keeps enough to stay a member of its consumer group', () => {
  const asked: number[] = [];
  lowerPriority(silentLog, (priority) => asked.push(priority));
  expect(asked).toEqual([constants.priority.PRIORITY_BELOW_NORMAL]);
});

it('a system that refuses is told of and changes nothing', () => {
  const told: object[] = [];
  const log = { warn: (fields: object) => void told.push(fields) };
  lowerPriority(log, refuse);
  expect(told).toEqual([{ error: 'not permitted' }]);
});
