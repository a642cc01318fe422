import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import type { Provider } from '../../../shared/notification/provider.ts';
import { readTemplate, fillUrl } from '../../../shared/notification/payload-template.ts';
import {
  encodePayload,
  messageValues,
  renderPayload,
} from '../../../workers/notification/providers/http-payload.ts';
import { createHttpConnector } from '../../../workers/notification/providers/http-provider.ts';
import { httpEntry } from '../../support/builders/provider-entry.ts';
import { anEmail } from '../../support/builders/outbound-messages.ts';
import {
  type ProviderStandIn,
  multipartParts,
  startProviderStandIn,
} from '../../support/fakes/provider-stand-in.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

/** Values of a message never change the structure of the request (N1). */
const BOUNDARY = 'f00d';
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(...Array.from('"\\\r\n&={}%-/.;\0<é'), '\ud83d'),
  }),
  fc.constantFrom(
    '","bcc":"x@example.com',
    '\r\nBcc: x@example.com',
    '&To=x',
    `\r\n--${BOUNDARY}--\r\n`,
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="bcc"\r\n\r\nx`,
    '../../admin?x=#y',
    '..',
    'RECEIVER_PLACEHOLDER SENDER_PLACEHOLDER CC_PLACEHOLDER',
    '__proto__',
    '\u2028\u2029',
  ),
);
const filled = hostile.map((text) => `x${text}`);
const emails: fc.Arbitrary<Extract<Outbound, { channel: 'email' }>> = fc
  .record({
    sender: filled,
    receiver: filled,
    subject: filled,
    message: filled,
    cc: fc.array(filled, { maxLength: 3 }),
    bcc: fc.array(filled, { maxLength: 3 }),
    attachments: fc.array(
      fc.record({
        name: filled,
        content: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      }),
      { maxLength: 2 },
    ),
  })
  .map((members) => anEmail(members));
const OPTIONS = { defaultSender: undefined, phoneFormat: 'plus', listSeparator: ', ' } as const;
const RUNS = { numRuns: 300 };

const present = (name: string, list: readonly unknown[]): object =>
  list.length === 0 ? {} : { [name]: list };
const well = (text: string): string => text.toWellFormed();
const inForm = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n');

const bodyOf = async (
  message: Outbound,
  template: object | string,
  encoding: 'json' | 'form' | 'multipart',
) => {
  const node = readTemplate(template, encoding, () => undefined);
  const payload = renderPayload(node!, await messageValues(message, OPTIONS));
  return encodePayload(payload as never, encoding);
};
const forAnyEmail = (check: (message: Extract<Outbound, { channel: 'email' }>) => Promise<void>) =>
  fc.assert(fc.asyncProperty(emails, check), RUNS);

describe('values within a body', () => {
  it('remain strings of JSON in any place, quoted or not', () => {
    const template = {
      [`a"b`]: 'SENDER_PLACEHOLDER',
      both: 'to RECEIVER_PLACEHOLDER: MESSAGE_PLACEHOLDER!',
      cc: [{ email: 'CC_PLACEHOLDER' }],
      bcc: ['BCC_PLACEHOLDER'],
      files: [{ name: 'ATTACHMENT_NAME_PLACEHOLDER', data: 'ATTACHMENT_CONTENT_PLACEHOLDER' }],
    };
    const text =
      '{"s": SENDER_PLACEHOLDER, "m": "x \\"MESSAGE_PLACEHOLDER\\" y", "l": [BCC_PLACEHOLDER, "end"]}';
    return forAnyEmail(async (message) => {
      const { sender, receiver, message: content, cc, bcc, attachments } = message;
      const { body } = await bodyOf(message, template, 'json');
      const files = attachments.map((file) => ({
        name: well(file.name),
        data: file.content.toString('base64'),
      }));
      expect(JSON.parse(body!.toString())).toEqual({
        'a"b': well(sender!),
        both: `to ${well(receiver)}: ${well(content)}!`,
        ...present(
          'cc',
          cc.map((email) => ({ email: well(email) })),
        ),
        ...present('bcc', bcc.map(well)),
        ...present('files', files),
      });
      const quoted = await bodyOf(message, text, 'json');
      expect(JSON.parse(quoted.body!.toString())).toEqual({
        s: well(sender!),
        m: `x "${well(content)}" y`,
        l: [...bcc.map(well), 'end'],
      });
    });
  });

  it('remain fields of a form', () => {
    const template = {
      to: 'RECEIVER_PLACEHOLDER',
      body: 'a=MESSAGE_PLACEHOLDER&b',
      bcc: ['BCC_PLACEHOLDER'],
    };
    return forAnyEmail(async (message) => {
      const { body } = await bodyOf(message, template, 'form');
      expect([...new URLSearchParams(body!.toString())]).toEqual([
        ['to', well(message.receiver)],
        ['body', `a=${well(message.message)}&b`],
        ...message.bcc.map((address) => ['bcc', well(address)]),
      ]);
    });
  });

  it('remain parts of a multipart body whose delimiter occurs in none of them', () => {
    const template = {
      to: 'RECEIVER_PLACEHOLDER',
      text: 'MESSAGE_PLACEHOLDER',
      file: ['ATTACHMENT_PLACEHOLDER'],
    };
    return forAnyEmail(async (message) => {
      const { body, contentType } = await bodyOf(message, template, 'multipart');
      const headers = { 'content-type': contentType };
      const parts = multipartParts({ method: 'POST', path: '/', headers, body: body! });
      expect(parts.map(({ content }) => content)).toEqual([
        Buffer.from(inForm(message.receiver)),
        Buffer.from(inForm(message.message)),
        ...message.attachments.map(({ content }) => content),
      ]);
      for (const part of parts) {
        const names = Object.keys(part.headers).join(' ');
        expect(['content-disposition', 'content-disposition content-type']).toContain(names);
        expect(part.headers['content-disposition']).toMatch(
          /^form-data; name="(?:to|text|file)"(?:; filename="[^"\r\n\0]*")?$/,
        );
      }
    });
  });
});

describe('values within a URL', () => {
  it('remain one segment of the path', () => {
    fc.assert(
      fc.property(hostile, hostile, (receiver, sender) => {
        const template = 'https://api.example/a/{receiver}/b.{sender}/c?to={receiver}';
        const url = fillUrl(template, { receiver, sender });
        const isPlain = !/^\.{0,2}$/.test(receiver);
        expect(url !== undefined).toBe(isPlain);
        if (url === undefined) return;
        const parsed = new URL(url);
        expect(parsed.href).toBe(url);
        expect(parsed.host).toBe('api.example');
        const segments = parsed.pathname.split('/');
        expect(segments.map(decodeURIComponent)).toEqual(['', 'a', well(receiver), `b.${well(sender)}`, 'c']);
        expect([...parsed.searchParams]).toEqual([['to', well(receiver)]]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('values within headers', () => {
  let standIn: ProviderStandIn;
  let provider: Provider;
  beforeAll(async () => {
    standIn = await startProviderStandIn();
    const entry = httpEntry({
      url: `${standIn.origin}/x`,
      'communication-channel': 'email',
      'payload-template': {
        to: 'RECEIVER_PLACEHOLDER',
        cc: ['CC_PLACEHOLDER'],
        bcc: ['BCC_PLACEHOLDER'],
        m: 'MESSAGE_PLACEHOLDER',
        a: ['ATTACHMENT_NAME_PLACEHOLDER ATTACHMENT_CONTENT_PLACEHOLDER'],
      },
      connector: { headers: { 'X-Subject': 'SUBJECT_PLACEHOLDER', 'X-From': '<SENDER_PLACEHOLDER>' } },
    });
    provider = createHttpConnector(entry, { ...systemPorts, timeoutMs: 5_000 });
  });
  afterAll(async () => {
    await provider.close();
    await standIn.stop();
  });

  it('remain on one line and can be decoded', async () => {
    await fc.assert(
      fc.asyncProperty(emails, async (message) => {
        standIn.reset();
        const result = await provider.send(message, new AbortController().signal);
        expect(result).toEqual({ kind: 'sent', providerMessageId: undefined });
        const { headers } = standIn.requests[0]!;
        expect(Object.keys(headers).toSorted()).toEqual(
          [
            'accept',
            'connection',
            'content-length',
            'content-type',
            'host',
            'x-from',
            'x-subject',
          ].toSorted(),
        );
        expect(decodeURIComponent(headers['x-subject']!)).toBe(well(message.subject).replace(/ +$/, ''));
        expect(decodeURIComponent(headers['x-from']!)).toBe(`<${well(message.sender!)}>`);
      }),
      { numRuns: 200 },
    );
  });
});
