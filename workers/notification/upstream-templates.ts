import { fillTemplate, type FindTemplate } from '../../shared/api/notification/fill-template.ts';
import { besideTemplate } from '../../shared/api/notification/read-command.ts';
import { invalid, type InvalidRequest } from '../../shared/api/json/request-reader.ts';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { Request } from '../../shared/messaging/handler/request.ts';
import type { EmailCommand, SmsCommand } from '../../shared/notification/notification-command.ts';
import type { createCommandCheck } from '../../shared/notification/command-proof.ts';
import { errorText, InfrastructureError } from '../../shared/platform/errors.ts';
import type { WorkerCatalogue } from '../../shared/product/storage/catalogue-table.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { readCopy } from './retry/command-copy.ts';

interface Filled {
  readonly command: SmsCommand | EmailCommand;
  readonly request: Request;
  readonly faults?: InvalidRequest;
}

export type UpstreamTemplates = ReturnType<typeof createUpstreamTemplates>;

/** Reads the catalogue for the first command with a template, and then follows it. */
export function createUpstreamTemplates(
  context: WorkerContext,
  checkText: ReturnType<typeof createCommandCheck>,
) {
  let opening: Promise<WorkerCatalogue> | undefined;
  const openNow = async (): Promise<WorkerCatalogue> => {
    const { openCatalogue } = await import('../../shared/product/storage/catalogue-table.ts');
    return openCatalogue(context, 'notification');
  };
  const open = async (): Promise<FindTemplate> => {
    const catalogue = await (opening ??= openNow()).catch((error: unknown) => {
      opening = undefined;
      throw new InfrastructureError('catalogue-unreadable', errorText(error), error);
    });
    const { status, reason = '' } = catalogue.health();
    if (status !== 'ready') throw new InfrastructureError('catalogue-behind', reason);
    return (code) => catalogue.view.list('notification-template', code);
  };
  return {
    /** Resolves with the templates. Rejects with InfrastructureError while the catalogue cannot be read. */
    open,
    /**
     * Fills in the template of a command, if it has one (N9). The message of the request then has the texts in its
     * place, which all copies keep, and the hash by which repeats are recognised. Rejects with InfrastructureError
     * while the catalogue cannot be read.
     */
    fill: async (type: string, given: SmsCommand | EmailCommand, request: Request): Promise<Filled> => {
      const { template } = given;
      if (template === undefined) return { command: given, request };
      const channel = 'subject' in given ? 'email' : 'sms';
      const { texts, faults } = fillTemplate(channel, template, await open());
      const all = [...besideTemplate({ ...given, contentType: undefined }), ...faults];
      if (all.length > 0) return { command: given, request, faults: invalid(all) };
      const command = { ...given, ...texts, template: undefined };
      const { message, originTimestampMs, format } = request;
      const { id } = readCopy(message, originTimestampMs, given.notificationId);
      const { textHash } = checkText(id, given, undefined);
      const { value, headers } = await context.codec.encode(type, command, format);
      const filled = { ...message.headers, ...headers, [HEADER.textHash]: textHash };
      return { command, request: { ...request, message: { ...message, value, headers: filled } } };
    },
    stop: async (timeoutMs: number): Promise<void> => {
      const opened = await opening?.catch(() => undefined);
      await opened?.stop(timeoutMs);
    },
  };
}
