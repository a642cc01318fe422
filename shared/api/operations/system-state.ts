/** The answers of the system addresses: an installation as one ingress sees it, and the settings of that ingress. */

import { z } from 'zod';
import { dateTime, namedObject } from '../json/field-kinds.ts';

export const SYSTEM_PATH = '/api/operations/v1/system';
export const SYSTEM_SETTINGS_PATH = `${SYSTEM_PATH}/settings`;

const wholeNumber = () => z.int().nonnegative();
const fault = () =>
  z.string().optional().describe('Why it cannot be read at the moment; what is shown was read before.');
const faultCode = () =>
  z
    .enum(['no-answer', 'unreachable', 'unexpected-answer', 'broker-unavailable', 'broker-refused', 'failed'])
    .optional()
    .describe(
      'Stable code of `fault`. `no-answer`: not within the time limit. `unreachable`: no connection. `unexpected-answer`: not that of a health port of this system. `broker-unavailable`, `broker-refused`: as for calls. `failed`: anything else.',
    );
const faultDetail = () =>
  z
    .string()
    .optional()
    .describe('What `fault` says beyond its code, such as `ECONNREFUSED` or a time limit; technical.');
const lastReadAt = () =>
  dateTime().optional().describe('With `fault`: when it was last read; absent if it was never read.');
const reading = () => ({
  fault: fault(),
  faultCode: faultCode(),
  faultDetail: faultDetail(),
  lastReadAt: lastReadAt(),
});
const process = () => z.string().describe('Name of the process in `processes`.');

const health = () => z.enum(['ready', 'starting', 'degraded', 'unhealthy']);

const findingParameters = namedObject('SystemFindingParameters', {
  process: process().optional(),
  worker: z.string().optional().describe('Name of the worker.'),
  status: health().optional().describe('Health of the worker.'),
  reason: z.string().optional().describe('Reason of the worker, in English.'),
  faultCode: faultCode(),
  faultDetail: faultDetail(),
  topic: z.string().optional().describe('The topic that the group reads.'),
  waiting: wholeNumber().optional().describe('Messages that wait.'),
  seconds: wholeNumber().optional().describe('Time since a message was completed.'),
  count: wholeNumber().optional().describe('How many dead letters are open.'),
  since: dateTime().optional().describe('Time of the oldest dead letter.'),
});

const finding = namedObject('SystemFinding', {
  severity: z
    .enum(['warning', 'critical'])
    .describe('`critical`: work is not done or fails. `warning`: it may soon be, or cannot be judged.'),
  code: z
    .enum([
      'broker-unreadable',
      'process-unreadable',
      'worker-not-ready',
      'group-without-members',
      'group-without-progress',
      'breaker-open',
      'catalogue-absent',
      'dead-letters-open',
      'notifications-parked',
    ])
    .describe('Stable code of the finding.'),
  subject: z.string().describe('What it is about: a process, group, provider or action.'),
  text: z.string().describe('What was found, for an operator, in English.'),
  parameters: findingParameters.describe('What the text says, for texts in other languages.'),
});

const broker = namedObject('SystemBroker', {
  kind: z.enum(['embedded', 'kafka']).describe('`embedded`: all messages are in this process.'),
  ...reading(),
});

const worker = namedObject('SystemWorker', {
  name: z.string().describe('Name of the worker, or `storage`.'),
  status: health().describe('Its health.'),
  reason: z.string().optional().describe('Reason for an operator, unless it is ready.'),
});

const systemProcess = namedObject('SystemProcess', {
  name: z.string().describe('`this`: the answering instance. Otherwise host and port of its address.'),
  startedAt: dateTime().optional().describe('When it was started.'),
  workers: z.array(worker).describe('Its workers.'),
  ...reading(),
});

const member = namedObject('SystemMember', {
  memberId: z.string().describe('Id in the group; a member that joins again may get another.'),
  clientId: z.string().describe('Which consumer it is, the same in all processes.'),
  host: z.string().optional().describe('Address from which it is connected to Kafka.'),
  partitions: z.array(wholeNumber()).describe('The partitions that it reads.'),
});

const partition = namedObject('SystemPartition', {
  partition: wholeNumber().describe('Number of the partition.'),
  lag: wholeNumber().describe('Messages that the group has not completed.'),
  end: wholeNumber().describe('The next offset to be written.'),
  committed: wholeNumber().optional().describe('The next offset to be completed; absent: none was.'),
});

const group = namedObject('SystemGroup', {
  groupId: z.string().describe('Id of the consumer group.'),
  worker: z.string().describe('The worker whose instances are its members.'),
  topic: z.string().describe('The topic that it reads.'),
  state: z
    .enum(['stable', 'rebalancing', 'empty'])
    .describe('`rebalancing`: the partitions are being divided anew. `empty`: it has no member.'),
  delayed: z
    .boolean()
    .describe('Whether its messages wait by intent, until they are due: then lag is normal.'),
  lag: wholeNumber().describe('Messages of all partitions that it has not completed.'),
  members: z.array(member).describe('Its members.'),
  partitions: z.array(partition).describe('The partitions of the topic; none if it does not exist.'),
});

const breaker = namedObject('SystemBreaker', {
  process: process(),
  name: z.string().describe('Channel and name of the provider.'),
  state: z.enum(['closed', 'open']).describe('`open`: the provider is called again after a while.'),
});

const catalogue = namedObject('SystemCatalogue', {
  version: wholeNumber().describe('Number of changes that were published so far: it grows with each one.'),
  changedAt: dateTime().optional().describe('Time of the last change.'),
});

export const systemReply = namedObject('SystemState', {
  at: dateTime().describe('When this state was observed.'),
  status: z.enum(['ok', 'warning', 'critical']).describe('The most severe finding, or `ok`.'),
  version: z.string().describe('Release of the answering instance.'),
  findings: z.array(finding).describe('What needs attention, the most severe first.'),
  broker,
  processes: z.array(systemProcess).describe('The answering instance, and those of SYSTEM_PROCESS_URLS.'),
  groups: z.array(group).describe('The consumer groups of all workers.'),
  breakers: z.array(breaker).describe('The circuit breakers of the processes.'),
  catalogue: catalogue.optional().describe('The product catalogue; absent until the broker was read.'),
});

const setting = namedObject('SystemSetting', {
  name: z.string().describe('Name of the environment variable.'),
  source: z
    .enum(['default', 'set', 'file'])
    .describe('`set`: by the variable itself. `file`: by a file that a variable names.'),
  value: z
    .string()
    .optional()
    .describe(
      'The value in effect; absent if there is none, and for secrets, addresses, users and paths that were set.',
    ),
});

export const systemSettingsReply = namedObject('SystemSettings', {
  settings: z.array(setting).describe('All settings, in their documented order.'),
});

export type SystemState = z.infer<typeof systemReply>;
export type SystemFinding = z.infer<typeof finding>;
export type SystemProcess = z.infer<typeof systemProcess>;
export type SystemWorker = z.infer<typeof worker>;
export type SystemGroup = z.infer<typeof group>;
export type SystemBreaker = z.infer<typeof breaker>;
export type SystemCatalogue = z.infer<typeof catalogue>;
