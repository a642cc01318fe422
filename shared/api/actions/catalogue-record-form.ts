/**
 * A catalogue message in JSON, for messages written by hand. Only `kind` and `body` (the record) are mandatory. If
 * `encoding` is sent, it must be `json`. Every other field that is sent must agree with the record.
 */

import { z } from 'zod';
import {
  type CatalogueMessage,
  contradictingFields,
  MAX_RECORD_BYTES,
  toCatalogueMessage,
  unpackBody,
} from '../../product/storage/catalogue-message.ts';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { identifyRecord, RECORD_KINDS } from '../../product/catalogue/catalogue-record.ts';
import { anyNumber, anyText, mustBe } from '../../platform/json-kinds.ts';
import { readCatalogueRecord } from '../../product/catalogue/read-record.ts';
import { toFaults, shapeFault } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-reader.ts';

const CONTRADICTS_BODY = 'must equal the value in the body; correct or remove this field';
const NOT_OF_KIND =
  'is missing or not valid in a record of this kind; `npm run catalogue -- validate` reports all faults of a file';
const TOO_LARGE = `must have at most ${MAX_RECORD_BYTES} bytes of JSON with the default values of absent fields`;

const day = (which: string) =>
  anyText().nullish().describe(`${which} day of a product's validity, yyyy-mm-dd; null when open.`);

/** The shape of a catalogue message in JSON. {@link readCatalogueRecordForm} also checks the record in its body. */
export const catalogueRecordForm = z.strictObject(
  {
    kind: z
      .enum(RECORD_KINDS, { error: `must be one of ${RECORD_KINDS.join(', ')}` })
      .describe('Kind of the record, the first part of the message key.'),
    code: anyText().optional().describe('Code of the record; for a periodicity or calendar, its name.'),
    version: anyNumber().optional().describe('Version of the record; 1 for kinds without versions.'),
    id: anyText().nullish().describe('GUID of the version in lower case; null for kinds without one.'),
    status: anyText().nullish().describe('Status of the record; null for kinds without one.'),
    validFrom: day('First'),
    validTo: day('Last'),
    encoding: z
      .literal('json', { error: 'must be json or absent' })
      .optional()
      .describe('Encoding of the body.'),
    body: z
      .looseObject({}, { error: mustBe('an object') })
      .meta({ id: 'CatalogueRecordBody' })
      .describe('The record, as in a file of a catalogue folder (docs/catalogue.md).'),
  },
  { error: mustBe('an object') },
);

/** The key of this message is `periodicity/every 10 days/1`. */
export const CATALOGUE_RECORD_EXAMPLE = {
  kind: 'periodicity',
  body: { name: 'Every 10 days', count: 10, unit: 'Days' },
};

/** Checks the shape of the record, not its meaning: a periodicity with the unit `Dayz` passes. Never throws. */
export function readCatalogueRecordForm(value: unknown): ReadRequest<CatalogueMessage> {
  const form = catalogueRecordForm.safeParse(value);
  if (!form.success) return invalid(toFaults(form.error.issues, value));
  const { kind, body, encoding: _, ...stated } = form.data;
  const read = readCatalogueRecord(kind, body, 'body');
  if (read.kind === 'invalid') {
    return invalid(read.paths.map((path) => shapeFault(`body.${path}`, 'wrong-type', NOT_OF_KIND)));
  }
  const contradicting = contradictingFields(identifyRecord(read.entry), stated);
  if (contradicting.length > 0) {
    return invalid(contradicting.map((name) => shapeFault(name, 'wrong-type', CONTRADICTS_BODY)));
  }
  try {
    return { kind: 'valid', payload: toCatalogueMessage(read.entry), warnings: [] };
  } catch (error) {
    if (error instanceof RangeError) return invalid([shapeFault('body', 'wrong-type', TOO_LARGE)]);
    throw error;
  }
}

/** Writes a catalogue message as JSON, with the unpacked record. Throws Error if the body cannot be unpacked. */
export function renderCatalogueRecord(message: CatalogueMessage): string {
  const { validFrom, validTo, encoding, body, ...others } = message;
  return JSON.stringify({
    ...others,
    validFrom: validFrom === undefined ? undefined : formatCalendarDate(validFrom),
    validTo: validTo === undefined ? undefined : formatCalendarDate(validTo),
    encoding: 'json',
    body: unpackBody(encoding, body).value,
  });
}
