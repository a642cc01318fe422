/** `PLAT_BP_CreateOfferDocument`: the European form of an offer as JSON, HTML or PDF (T1). */

import { z } from 'zod';
import type { RequestWarning } from '../../lending/request/validation.ts';
import { MAX_INSTALLMENTS, MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import { simulationUnits } from '../../lending/work-units.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction } from '../json/action-definition.ts';
import {
  count,
  described,
  guid,
  itemOf,
  nameOf,
  optional,
  optionalList,
  percent,
  requestOf,
  text,
} from '../json/field-kinds.ts';
import { isRecord, shapeFault } from '../json/faults.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import examples from './offer-document-examples.json' with { type: 'json' };
import {
  DOCUMENT_FORMATS,
  DOCUMENT_LANGUAGES,
  MEDIA_TYPES,
  offerDocument,
  type DocumentFormat,
} from './offer-document-fields.ts';
import TEXTS from './offer-document-texts.json' with { type: 'json' };
import { requireInterestType, simulateFields } from './simulate-action.ts';

const MAX_ENTRIES = 60;
const MAX_ENTRY_LENGTH = 4_000;
/** Of all entries together. */
const MAX_ENTRY_CHARACTERS = 20_000;
/** Printing takes about 45 ms, 0.6 ms for each instalment of a consumer form, and up to 10 us for a letter or line break. */
const UNITS: Readonly<Record<DocumentFormat, Readonly<Record<'document' | 'row' | 'character', number>>>> = {
  json: { document: 1_000, row: 20, character: 0 },
  html: { document: 2_000, row: 30, character: 0 },
  pdf: { document: 45_000, row: 600, character: 10 },
};
/** The offer itself, and two more schedules for the further rates of a mortgage (T5). */
const SIMULATIONS = 3;

const entry = itemOf(TEXTS.DocumentEntry, { Point: text(), Text: text([], MAX_ENTRY_LENGTH) }).meta({
  id: 'DocumentEntry',
});

const { Offer: _, Explain: __, ...simulatedFields } = simulateFields.shape;

export const offerDocumentFields = requestOf({
  ...simulatedFields,
  ...described(TEXTS.OfferDocumentRequest, {
    Language: optional(nameOf('DocumentLanguage', DOCUMENT_LANGUAGES)),
    Format: optional(nameOf('DocumentFormat', DOCUMENT_FORMATS)),
    InterestId: optional(guid()),
    InterestCommissionItemId: optional(guid()),
    HighestRate: optional(percent({ minimum: -MAX_RATE_PERCENT, maximum: MAX_RATE_PERCENT })),
    HighestRateFrom: optional(count({ minimum: 1, maximum: MAX_INSTALLMENTS })),
    Entries: optionalList(entry, MAX_ENTRIES),
  }),
});

/** The parsed request. Its figures are exact decimals (M1). */
export type OfferDocumentInput = z.output<typeof offerDocumentFields>;

/** The reply message. `content` is HTML text, or PDF in base64. */
export interface OfferDocumentPayload {
  /** JSON text of the {@link OfferDocument}; beside a content without its logo and sections. */
  readonly document: string;
  readonly contentType: string | null | undefined;
  readonly content: string | null | undefined;
  readonly warnings: readonly RequestWarning[];
}

export const offerDocumentReply = offerDocument.extend({
  Sections: offerDocument.shape.Sections.nullable().describe(TEXTS.OfferDocumentReply.Sections),
  ContentType: z.string().nullable().describe(TEXTS.OfferDocumentReply.ContentType),
  Content: z.string().nullable().describe(TEXTS.OfferDocumentReply.Content),
});

function renderOfferDocument({ document, contentType, content }: OfferDocumentPayload): string {
  const rest = JSON.stringify({ ContentType: contentType ?? null, Content: content ?? null });
  return `${document.slice(0, -1)},${rest.slice(1)}`;
}

function contentFormat(Format: keyof typeof MEDIA_TYPES, encoding: BufferEncoding) {
  return {
    render: ({ contentType, content }: OfferDocumentPayload) =>
      contentType === MEDIA_TYPES[Format] ? Buffer.from(content ?? '', encoding) : undefined,
    select: (own: OfferDocumentInput) => ({ ...own, Format }),
  };
}

function documentUnits(request: OfferDocumentInput): number {
  return (
    SIMULATIONS * simulationUnits({ ...request, Offer: true }) + contentUnits(request, formatOf(request))
  );
}

/** Units of work of writing the document in a format (E6). */
export function contentUnits(
  { loanPeriod, Entries = [] }: Pick<OfferDocumentInput, 'loanPeriod' | 'Entries'>,
  format: DocumentFormat,
): number {
  const { document, row, character } = UNITS[format];
  const rows = Math.min(Math.max(0, loanPeriod), MAX_INSTALLMENTS);
  const characters = Entries.reduce((total, { Text }) => total + Text.length, 0);
  return document + rows * row + characters * character;
}

/** An entry has a text, and each point at most one entry. All texts together are bounded, because printing takes long. */
function checkTogether(sent: Fields): readonly Fault[] {
  const { Entries } = sent;
  return [...requireInterestType(sent), ...(Array.isArray(Entries) ? checkEntries(Entries) : [])];
}

function checkEntries(entries: readonly unknown[]): readonly Fault[] {
  const faults: Fault[] = [];
  const points = new Set<unknown>();
  let characters = 0;
  for (const [index, one] of entries.entries()) {
    const { Point, Text } = isRecord(one) ? one : {};
    const at = `Entries[${index}]`;
    if (typeof Point === 'string') {
      const message = 'must not be the point of another entry';
      if (points.has(Point)) faults.push(shapeFault(`${at}.Point`, 'mutually-exclusive', message));
      points.add(Point);
    }
    if (typeof Text !== 'string') continue;
    characters += Text.length;
    if (Text !== '' && Text.trim() === '')
      faults.push(shapeFault(`${at}.Text`, 'empty', 'must not be blank'));
  }
  if (characters > MAX_ENTRY_CHARACTERS) {
    const message = `must have at most ${MAX_ENTRY_CHARACTERS} characters in all texts together`;
    faults.push(shapeFault('Entries', 'out-of-range', message));
  }
  return faults;
}

function formatOf({ Format = 'json' }: OfferDocumentInput): DocumentFormat {
  return DOCUMENT_FORMATS.find((format) => format === Format.trim().toLowerCase()) ?? 'json';
}

export const CREATE_OFFER_DOCUMENT = defineAction<OfferDocumentInput, OfferDocumentPayload>({
  name: 'PLAT_BP_CreateOfferDocument',
  summary: 'Creates the European form of an offer as JSON, HTML or PDF',
  description:
    'Returns the Standard European Consumer Credit Information (Directive (EU) 2023/2225), or for a mortgage the ESIS ' +
    '(Directive 2014/17/EU), of one simulated offer (T1 to T5).',
  requestType: 'CreateOfferDocumentRequest',
  request: createRequestReader<OfferDocumentInput>({ fields: offerDocumentFields, between: checkTogether }),
  replyShape: offerDocumentReply,
  examples,
  answerHeaders: ['holidayCalendar'],
  units: documentUnits,
  render: renderOfferDocument,
  formats: {
    [MEDIA_TYPES.html]: contentFormat('html', 'utf8'),
    [MEDIA_TYPES.pdf]: contentFormat('pdf', 'base64'),
  },
});
