import { fillTemplate, type FindTemplate } from '../../shared/api/notification/fill-template.ts';
import { shapeFault } from '../../shared/api/json/faults.ts';
import { invalid, type InvalidRequest } from '../../shared/api/json/request-reader.ts';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { Request } from '../../shared/messaging/handler/request.ts';
import type {
  EmailCommand,
  SmsCommand,
  TemplateUse,
} from '../../shared/notification/notification-command.ts';
import type { createCommandCheck } from '../../shared/notification/command-proof.ts';
import { errorText, InfrastructureError } from '../../shared/platform/errors.ts';
import type { WorkerCatalogue } from '../../shared/product/storage/catalogue-table.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { readCopy } from './retry/command-copy.ts';

interface Filled<Command> {
  readonly command: Command;
  readonly request: Request;
  readonly faults: InvalidRequest | undefined;
}

async function openNow(context: WorkerContext): Promise<WorkerCatalogue> {
  const { openCatalogue } = await import('../../shared/product/storage/catalogue-table.ts');
  return openCatalogue(context, 'notification');
}

export type UpstreamTemplates = ReturnType<typeof createUpstreamTemplates>;

/** Reads the catalogue for the first command with a template, and then follows it. */
export function createUpstreamTemplates(
  context: WorkerContext,
  checkText: ReturnType<typeof createCommandCheck>,
) {
  let opening: Promise<WorkerCatalogue> | undefined;
  const open = async (): Promise<FindTemplate> => {
    try {
      opening ??= openNow(context);
      const catalogue = await opening;
      const { status, reason = '' } = catalogue.health();
      if (status !== 'ready') throw new InfrastructureError('catalogue-behind', reason);
      return (code) => catalogue.view.list('notification-template', code);
    } catch (error) {
      if (error instanceof InfrastructureError) throw error;
      opening = undefined;
      throw new InfrastructureError('catalogue-unreadable', errorText(error), error);
    }
  };
  return {
    /**
     * Fills in the template of a command (N9). The message of the request then has the texts in its place, which all
     * copies keep, and the hash by which repeats are recognised. Rejects with InfrastructureError while the catalogue
     * cannot be read.
     */
    fill: async <Command extends SmsCommand | EmailCommand>(
      type: string,
      given: Command,
      use: TemplateUse,
      request: Request,
    ): Promise<Filled<Command>> => {
      const sent = (['message', 'subject'] as const).filter((name) => Reflect.get(given, name));
      const both = sent.map((name) =>
        shapeFault(name, 'mutually-exclusive', 'must not be sent with a template'),
      );
      const { texts, faults } = fillTemplate('subject' in given ? 'email' : 'sms', use, await open());
      const all = [...both, ...faults];
      if (all.length > 0) return { command: given, request, faults: invalid(all) };
      const command = { ...given, ...texts, template: undefined };
      const { message, originTimestampMs, format } = request;
      const { id } = readCopy(message, originTimestampMs, given.notificationId);
      const { textHash } = checkText(id, given, undefined);
      const encoded = await context.codec.encode(type, command, format);
      const headers = { ...message.headers, ...encoded.headers, [HEADER.textHash]: textHash };
      const filled = { ...message, value: encoded.value, headers };
      return { command, request: { ...request, message: filled }, faults: undefined };
    },
    stop: async (timeoutMs: number): Promise<void> => {
      const opened = await opening?.catch(() => undefined);
      await opened?.stop(timeoutMs);
    },
  };
}
