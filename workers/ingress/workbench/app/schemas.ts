/** What the pages send and receive, by its names in the OpenAPI document. Only types: the pages load no definition. */
import type { z } from 'zod';
import type {
  ActionReply,
  editBody,
  LetterPage,
  ListedLetter,
  shownLetter,
} from '../../../../shared/contract/operations/dead-letters.ts';
import type {
  foundNotifications,
  NotificationTimeline,
  TimelineEvent,
} from '../../../../shared/contract/operations/notifications.ts';
import type { OutboxList, OutboxReply } from '../../../../shared/contract/operations/outbox.ts';
import type {
  CatalogueProductReply,
  CatalogueVersionReply,
  ListedProduct,
  ListedVersion,
  ProductPage,
  ReferredList,
} from '../../../../shared/contract/operations/products.ts';
import type {
  SystemFinding,
  SystemGroup,
  SystemProcess,
  SystemRate,
  SystemState,
  systemSettingsReply,
  SystemWorker,
} from '../../../../shared/contract/operations/system.ts';
import type { productDocumentsReply } from '../../../../shared/contract/product/replies.ts';
import type { rateReply } from '../../../../shared/contract/rate/calculate-rate.ts';
import type { simulateReply } from '../../../../shared/contract/simulate/reply.ts';
import type { Fault } from '../../../../shared/platform/problem.ts';

export interface Schemas {
  readonly CatalogueList: ReferredList;
  readonly CatalogueProduct: ListedProduct;
  readonly CatalogueProductPage: ProductPage;
  readonly CatalogueProductReply: CatalogueProductReply;
  readonly CatalogueProductVersion: ListedVersion;
  readonly CatalogueVersionReply: CatalogueVersionReply;
  readonly DeadLetter: z.infer<typeof shownLetter>;
  readonly DeadLetterPage: LetterPage;
  readonly DeadLetterResult: ActionReply['letters'][number];
  readonly DeadLetterResults: ActionReply;
  readonly DeadLetterSelection: EditDeadLetters['selection'];
  readonly EditDeadLetters: EditDeadLetters;
  readonly Fault: Fault;
  readonly FoundNotifications: z.infer<typeof foundNotifications>;
  readonly ListedDeadLetter: ListedLetter;
  readonly NotificationTimeline: NotificationTimeline;
  readonly OutboxMessage: OutboxReply;
  readonly OutboxMessages: OutboxList;
  readonly ProductDocument: z.infer<typeof productDocumentsReply>[number];
  readonly RateReply: z.infer<typeof rateReply>;
  readonly SimulateReply: z.infer<typeof simulateReply>;
  readonly SystemBroker: SystemState['broker'];
  readonly SystemFinding: SystemFinding;
  readonly SystemFindingParameters: SystemFinding['parameters'];
  readonly SystemGroup: SystemGroup;
  readonly SystemProcess: SystemProcess;
  readonly SystemRate: SystemRate;
  readonly SystemSetting: z.infer<typeof systemSettingsReply>['settings'][number];
  readonly SystemSettings: z.infer<typeof systemSettingsReply>;
  readonly SystemState: SystemState;
  readonly SystemWorker: SystemWorker;
  readonly TimelineEvent: TimelineEvent;
}

/** As it is sent. */
type EditDeadLetters = z.input<typeof editBody>;
