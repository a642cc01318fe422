import { expect, test } from 'vitest';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  delayLabel,
  retryTopicName,
  topicNames,
  WORK_TOPICS,
} from '../../../../shared/messaging/topics/topics.ts';

test('groups topics by their names', () => {
  expect(DEAD_LETTER_TOPICS).toEqual([
    'scheduleDeadLetters',
    'productDeadLetters',
    'simulationDeadLetters',
    'notificationDeadLetters',
  ]);
  expect(COMMAND_TOPICS).toEqual([
    'smsCommands',
    'emailCommands',
    'smsUrgentCommands',
    'emailUrgentCommands',
  ]);
  expect(WORK_TOPICS).toEqual([
    'scheduleRequests',
    'scheduleBulkRequests',
    'productRequests',
    'simulationRequests',
    'smsCommands',
    'emailCommands',
    'smsUrgentCommands',
    'emailUrgentCommands',
  ]);
});

test('adds the prefix to names, and for retry tiers the delay in the largest whole unit', () => {
  expect(topicNames('x.', ['smsCommands', 'ingressReplies'])).toEqual([
    'x.plat.notification.commands.sms.v1',
    'x.plat.ingress.replies.v1',
  ]);
  expect(retryTopicName('x.', 7_200_000)).toBe('x.plat.notification.retry.2h.v1');
  expect(retryTopicName('x.', 7_200_000, 'urgent')).toBe('x.plat.notification.retry.2h.urgent.v1');
  expect(delayLabel(61_000)).toBe('61s');
});
