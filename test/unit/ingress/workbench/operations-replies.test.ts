import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as letters from '../../../../shared/contract/operations/dead-letters.ts';
import type * as notifications from '../../../../shared/contract/operations/notifications.ts';
import type * as outbox from '../../../../shared/contract/operations/outbox.ts';
import type * as replies from '../../../../workers/ingress/workbench/app/messages/operations-replies.ts';

it('the replies that the room for messages expects are those of the contract', () => {
  expectTypeOf<notifications.NotificationTimeline>().toExtend<replies.NotificationTimeline>();
  expectTypeOf<letters.LetterPage>().toExtend<replies.LetterPage>();
  expectTypeOf<z.infer<typeof letters.shownLetter>>().toExtend<replies.ShownLetter>();
  expectTypeOf<letters.ActionReply>().toExtend<replies.ActionReply>();
  expectTypeOf<outbox.OutboxList>().toExtend<replies.OutboxList>();
  expectTypeOf<outbox.OutboxReply>().toExtend<replies.OutboxMail>();
});
