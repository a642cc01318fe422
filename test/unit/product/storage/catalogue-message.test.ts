import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  CATALOGUE_RECORD,
  encodeRecord,
  MAX_RECORD_BYTES,
  readIdentity,
  toCatalogueMessage,
  readPayload,
  unpackRecord,
  type CatalogueMessage,
} from '../../../../shared/product/storage/catalogue-message.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import type { Decoded } from '../../../../shared/messaging/codec.ts';
import {
  CATALOGUE_TOPIC,
  catalogueCodec,
  day,
  guidOf,
  interestListValue,
  productValue,
  recordOf,
} from '../../../support/worlds/catalogue-world.ts';

const codec = catalogueCodec();
const product = recordOf('product', productValue('TL-Std', { EndDate: '2030-12-31' }));
const form = MESSAGE_FORMS[CATALOGUE_RECORD]!;
const KEY = 'product/tl-std/1';

const decodedOf = (value: Buffer, headers = {}): Decoded => {
  const decoded = codec.decode({ value, headers });
  if (decoded instanceof Promise) throw new Error('expected a synchronous result');
  return decoded;
};
const byHand = (value: object): Decoded =>
  decodedOf(Buffer.from(JSON.stringify(value)), { 'plat-message-type': CATALOGUE_RECORD });
const unpacked = (message: CatalogueMessage) => unpackRecord(message, 'here').entry;

describe('a catalogue message', () => {
  it('has the compressed record, index fields, and the key kind/code/version', async () => {
    const message = await encodeRecord(codec, CATALOGUE_TOPIC, product);
    expect(message).toMatchObject({ topic: CATALOGUE_TOPIC, key: KEY });
    expect(message.value!.length).toBeLessThan(JSON.stringify(product.record).length);
    const payload = readPayload(decodedOf(message.value!, message.headers));
    const identity = { kind: 'product', code: 'TL-Std', version: 1, id: guidOf(1), status: 'Approved' };
    const days = { validFrom: day('2020-01-01'), validTo: day('2030-12-31') };
    expect(payload).toMatchObject({ ...identity, ...days, encoding: 'json+gzip' });
    expect(readIdentity(KEY, payload)).toMatchObject({ validFrom: '2020-01-01', validTo: '2030-12-31' });
    expect(unpacked(payload)).toEqual({ ...product, source: 'here' });
  });

  it.each([
    ['custom-list', { Code: 'Employers', Values: [1, 2] }],
    ['periodicity', { name: 'Every 10 days', count: 10, unit: 'Days' }],
    ['interest-list', interestListValue('INT')],
  ] as const)('contains a record of kind %s', async (kind, value) => {
    const entry = recordOf(kind, value);
    const { key, value: bytes, headers = {} } = await encodeRecord(codec, CATALOGUE_TOPIC, entry);
    const payload = readPayload(decodedOf(bytes!, headers));
    expect(readIdentity(String(key), payload).kind).toBe(kind);
    expect(JSON.stringify(unpacked(payload).record)).toBe(JSON.stringify(entry.record));
  });

  it('is refused with the key of another record, an unknown kind, version 0 or a day out of range', () => {
    const message = toCatalogueMessage(product);
    expect(() => readIdentity('product/other/1', message)).toThrow('its key must be');
    expect(() => readIdentity(KEY, { ...message, kind: 'thing' })).toThrow('its kind is unknown');
    expect(() => readIdentity(KEY, { ...message, version: 0 })).toThrow('version');
    const validTo = 9_999_999 as CatalogueMessage['validTo'];
    expect(() => readIdentity(KEY, { ...message, validTo })).toThrow('out of range');
  });

  it('is refused if its body contradicts the other fields, with an error that does not quote the body', () => {
    const message = toCatalogueMessage(product);
    expect(() => unpacked({ ...message, status: 'Draft' })).toThrow('contradicts the fields status');
    const wrong = gzipSync(JSON.stringify({ ...product.record, Name: 5, Secret: 'x-ray' }));
    let text = '';
    try {
      unpacked({ ...message, body: wrong });
    } catch (error) {
      text = String(error);
    }
    expect(text).toContain('Name');
    expect(text).not.toContain('x-ray');
  });

  it.each([
    ['that is not compressed', Buffer.from('{}'), 'cannot be decompressed'],
    ['that is not JSON', gzipSync('{"Code": '), 'not valid JSON'],
    ['that is not UTF-8', gzipSync(Buffer.from([0x22, 0xff, 0x22])), 'not valid UTF-8'],
    ['that is too large when decompressed', gzipSync(Buffer.alloc(MAX_RECORD_BYTES + 1, 0x20)), 'more than'],
    ['that is nested too deeply', gzipSync('['.repeat(5_000)), 'nested too deeply'],
  ])('is refused with a body %s', (_, body, reason) => {
    expect(() => unpacked({ ...toCatalogueMessage(product), body })).toThrow(reason);
  });

  it('may have an uncompressed body of the maximum size, but not a larger one', () => {
    const unpackOf = (bytes: number) => {
      const body = Buffer.from(JSON.stringify(product.record).padEnd(bytes));
      return unpacked({ ...toCatalogueMessage(product), encoding: 'json', body });
    };
    expect(unpackOf(MAX_RECORD_BYTES).record).toEqual(product.record);
    expect(() => unpackOf(MAX_RECORD_BYTES + 1)).toThrow('more than');
  });

  it('is refused with an unknown encoding', () => {
    const message = { ...toCatalogueMessage(product), encoding: 'xml' as 'json' };
    expect(() => unpacked(message)).toThrow('encoding must be one of json, json+gzip');
  });
});

describe('a catalogue message in JSON', () => {
  it('requires only kind and record, and is validated as strictly as a file', () => {
    const decoded = byHand({ kind: 'product', body: productValue('TL-Std') });
    const payload = readPayload(decoded);
    expect(readIdentity(KEY, payload)).toMatchObject({ code: 'TL-Std', status: 'Approved', id: guidOf(1) });
    expect(unpacked(payload).record).toMatchObject({ Name: 'Product TL-Std' });
    const wrong = byHand({ kind: 'product', body: { ...productValue('TL-Std'), Extra: 1 } });
    expect(() => readPayload(wrong)).toThrow('body.Extra');
  });

  it.each([
    [{ kind: 'product', code: 'OTHER', body: productValue('TL-Std') }, 'code'],
    [{ kind: 'product', status: 'Draft', body: productValue('TL-Std') }, 'status'],
    [{ kind: 'thing', body: {} }, 'kind'],
    [{ kind: 'product', body: 'text' }, 'body'],
    [{ kind: 'product', body: productValue('TL-Std'), more: 1 }, 'body'],
    [{ body: productValue('TL-Std') }, 'kind'],
  ])('is refused with contradicting, missing or unknown fields: case %#', (value, path) => {
    expect(form.parse(value)).toMatchObject({ kind: 'invalid' });
    expect(() => readPayload(byHand(value))).toThrow(path);
  });

  it('is refused if the default values of absent fields make its record too large', () => {
    const Questions = Array.from({ length: 500 }, () => ({ Name: 'Q', QuestionType: 'x'.repeat(8_300) }));
    const value = { kind: 'product', body: productValue('TL-Std', { Questions }) };
    expect(JSON.stringify(value).length).toBeLessThan(MAX_RECORD_BYTES);
    const message = expect.stringContaining(`at most ${MAX_RECORD_BYTES} bytes`) as string;
    const faults = [{ path: 'body', code: 'wrong-type', message }];
    expect(form.parse(value)).toMatchObject({ kind: 'invalid', faults });
  });

  it('is written with the record as JSON, and can be read again', () => {
    const text = form.render(toCatalogueMessage(product));
    expect(JSON.parse(text)).toMatchObject({ validTo: '2030-12-31', body: { Code: 'TL-Std' } });
    const read = form.parse(JSON.parse(text));
    expect(read).toMatchObject({ kind: 'valid' });
    expect(unpacked((read as { payload: CatalogueMessage }).payload).record).toEqual(product.record);
  });
});
