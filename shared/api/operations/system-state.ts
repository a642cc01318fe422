/** The answers of the system addresses: an installation as one ingress sees it, and the settings of that ingress. */

import { z } from 'zod';
import { dateTime, described } from '../json/field-kinds.ts';
import { named, TEXTS } from './operation-fields.ts';

export const SYSTEM_PATH = '/api/operations/v1/system';
export const SYSTEM_SETTINGS_PATH = `${SYSTEM_PATH}/settings`;

const wholeNumber = () => z.int().nonnegative();
const reading = described(TEXTS.reading, {
  fault: z.string().optional(),
  faultCode: z
    .enum(['no-answer', 'unreachable', 'unexpected-answer', 'broker-unavailable', 'broker-refused', 'failed'])
    .optional(),
  faultDetail: z.string().optional(),
  lastReadAt: dateTime().optional(),
});
const process = () => z.string().describe('Name of the process in `processes`.');

const health = () => z.enum(['ready', 'starting', 'degraded', 'unhealthy']);

const findingParameters = named('SystemFindingParameters', {
  process: process().optional(),
  worker: z.string().optional(),
  status: health().optional(),
  reason: z.string().optional(),
  faultCode: reading.faultCode,
  faultDetail: reading.faultDetail,
  topic: z.string().optional(),
  waiting: wholeNumber().optional(),
  seconds: wholeNumber().optional(),
  count: wholeNumber().optional(),
  since: dateTime().optional(),
});

const finding = named('SystemFinding', {
  severity: z.enum(['warning', 'critical']),
  code: z.enum([
    'broker-unreadable',
    'process-unreadable',
    'worker-not-ready',
    'group-without-members',
    'group-without-progress',
    'breaker-open',
    'catalogue-absent',
    'dead-letters-open',
    'notifications-parked',
  ]),
  subject: z.string(),
  text: z.string(),
  parameters: findingParameters,
});

const broker = named('SystemBroker', {
  kind: z.enum(['embedded', 'kafka']),
  ...reading,
});

const worker = named('SystemWorker', {
  name: z.string(),
  status: health(),
  reason: z.string().optional(),
});

const systemProcess = named('SystemProcess', {
  name: z.string(),
  startedAt: dateTime().optional(),
  workers: z.array(worker),
  ...reading,
});

const member = named('SystemMember', {
  memberId: z.string(),
  clientId: z.string(),
  host: z.string().optional(),
  partitions: z.array(wholeNumber()),
});

const partition = named('SystemPartition', {
  partition: wholeNumber(),
  lag: wholeNumber(),
  end: wholeNumber(),
  committed: wholeNumber().optional(),
});

const group = named('SystemGroup', {
  groupId: z.string(),
  worker: z.string(),
  topic: z.string(),
  state: z.enum(['stable', 'rebalancing', 'empty']),
  delayed: z.boolean(),
  lag: wholeNumber(),
  members: z.array(member),
  partitions: z.array(partition),
});

const breaker = named('SystemBreaker', {
  process: process(),
  name: z.string(),
  state: z.enum(['closed', 'open']),
});

const catalogue = named('SystemCatalogue', {
  version: wholeNumber(),
  changedAt: dateTime().optional(),
});

export const systemReply = named('SystemState', {
  at: dateTime(),
  status: z.enum(['ok', 'warning', 'critical']),
  version: z.string(),
  findings: z.array(finding),
  broker,
  processes: z.array(systemProcess),
  groups: z.array(group),
  breakers: z.array(breaker),
  catalogue: catalogue.optional(),
});

const setting = named('SystemSetting', {
  name: z.string(),
  source: z.enum(['default', 'set', 'file']),
  value: z.string().optional(),
});

export const systemSettingsReply = named('SystemSettings', {
  settings: z.array(setting),
});

export type SystemState = z.infer<typeof systemReply>;
export type SystemFinding = z.infer<typeof finding>;
export type SystemProcess = z.infer<typeof systemProcess>;
export type SystemWorker = z.infer<typeof worker>;
export type SystemGroup = z.infer<typeof group>;
export type SystemBreaker = z.infer<typeof breaker>;
export type SystemCatalogue = z.infer<typeof catalogue>;
