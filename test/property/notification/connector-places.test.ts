import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../shared/notification/command.ts';
import type { Provider } from '../../../shared/notification/provider.ts';
import { compileTemplate } from '../../../shared/notification/payload-template.ts';
import { fillUrl } from '../../../shared/notification/url-template.ts';
import { encodePayload } from '../../../workers/notification/providers/http/http-payload.ts';
import { createHttpConnector } from '../../../workers/notification/providers/http/http-connector.ts';
import { messageValues } from '../../../workers/notification/providers/http/message-values.ts';
import { renderPayload } from '../../../workers/notification/providers/http/http-payload.ts';
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
/** Arbitrary strings, and strings that try to break out of their place. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '\r',
      '\n',
      '&',
      '=',
      '{',
      '}',
      '%',
      '-',
      '/',
      '.',
      ';',
      '\0',
      '<',
      '\ud83d',
      'é',
    ),
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

async function rendered(
  message: Outbound,
  template: object,
  encoding: 'json' | 'form' | 'multipart',
): Promise<object> {
  const node = compileTemplate(template, encoding, () => undefined);
  return renderPayload(node!, await messageValues(message, OPTIONS)) as object;
}

/** An object with the list, or without it if it is empty. */
const present = (name: string, list: readonly unknown[]): object =>
  list.length === 0 ? {} : { [name]: list };
const well = (text: string): string => text.toWellFormed();
/** As the HTML standard sends it. */
const inForm = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n');

describe('values within a body', () => {
  it('remain strings of JSON in any place', async () => {
    const template = {
      [`a"b`]: 'SENDER_PLACEHOLDER',
      both: 'to RECEIVER_PLACEHOLDER: MESSAGE_PLACEHOLDER!',
      cc: [{ email: 'CC_PLACEHOLDER' }],
      bcc: ['BCC_PLACEHOLDER'],
      files: [{ name: 'ATTACHMENT_NAME_PLACEHOLDER', data: 'ATTACHMENT_CONTENT_PLACEHOLDER' }],
    };
    await fc.assert(
      fc.asyncProperty(emails, async (message) => {
        const { body } = await encodePayload((await rendered(message, template, 'json')) as never, 'json');
        expect(JSON.parse(body!.toString())).toEqual({
          'a"b': well(message.sender!),
          both: `to ${well(message.receiver)}: ${well(message.message)}!`,
          ...present(
            'cc',
            message.cc.map((email) => ({ email: well(email) })),
          ),
          ...present('bcc', message.bcc.map(well)),
          ...present(
            'files',
            message.attachments.map(({ name, content }) => ({
              name: well(name),
              data: content.toString('base64'),
            })),
          ),
        });
      }),
      RUNS,
    );
  });

  it('remain strings of JSON in a text template with quoted and unquoted placeholders', async () => {
    const text =
      '{"s": SENDER_PLACEHOLDER, "m": "x \\"MESSAGE_PLACEHOLDER\\" y", "l": [BCC_PLACEHOLDER, "end"]}';
    await fc.assert(
      fc.asyncProperty(emails, async (message) => {
        const node = compileTemplate(text, 'json', () => undefined);
        const members = renderPayload(node!, await messageValues(message, OPTIONS));
        expect(JSON.parse(JSON.stringify(members))).toEqual({
          s: well(message.sender!),
          m: `x "${well(message.message)}" y`,
          l: [...message.bcc.map(well), 'end'],
        });
      }),
      RUNS,
    );
  });

  it('remain fields of a form', async () => {
    const template = {
      to: 'RECEIVER_PLACEHOLDER',
      body: 'a=MESSAGE_PLACEHOLDER&b',
      bcc: ['BCC_PLACEHOLDER'],
    };
    await fc.assert(
      fc.asyncProperty(emails, async (message) => {
        const { body } = await encodePayload((await rendered(message, template, 'form')) as never, 'form');
        expect([...new URLSearchParams(body!.toString())]).toEqual([
          ['to', well(message.receiver)],
          ['body', `a=${well(message.message)}&b`],
          ...message.bcc.map((address) => ['bcc', well(address)]),
        ]);
      }),
      RUNS,
    );
  });

  it('remain parts of a multipart body whose delimiter occurs in none of them', async () => {
    const template = {
      to: 'RECEIVER_PLACEHOLDER',
      text: 'MESSAGE_PLACEHOLDER',
      file: ['ATTACHMENT_PLACEHOLDER'],
    };
    await fc.assert(
      fc.asyncProperty(emails, async (message) => {
        const { body, contentType } = await encodePayload(
          (await rendered(message, template, 'multipart')) as never,
          'multipart',
        );
        const parts = multipartParts({
          method: 'POST',
          path: '/',
          headers: { 'content-type': contentType },
          body: body!,
        });
        expect(parts.map(({ content }) => content)).toEqual([
          Buffer.from(inForm(message.receiver)),
          Buffer.from(inForm(message.message)),
          ...message.attachments.map(({ content }) => content),
        ]);
        for (const { headers } of parts) {
          const names = Object.keys(headers);
          expect(['content-disposition', 'content-disposition content-type']).toContain(names.join(' '));
          expect(headers['content-disposition']).toMatch(
            /^form-data; name="(?:to|text|file)"(?:; filename="[^"\r\n\0]*")?$/,
          );
        }
      }),
      RUNS,
    );
  });
});

describe('values within a URL', () => {
  it('remain one segment of the path', () => {
    fc.assert(
      fc.property(hostile, hostile, (receiver, sender) => {
        const values = new Map([
          ['receiver', receiver],
          ['sender', sender],
        ]);
        const url = fillUrl('https://api.example/a/{receiver}/b.{sender}/c?to={receiver}', values);
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
