import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line/parse-command-line.ts';
import { createEdit, editMessage, mergePatch } from '../../../shared/dead-letters/edit-dead-letter.ts';
import { readEdit } from '../../../scripts/dead-letters/dead-letters-arguments.ts';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { deadLetterMessage } from '../../support/worlds/dead-letters.ts';

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
const NO_EDIT = { set: [], patch: undefined, header: [] };

function editOf(options: Partial<Parameters<typeof readEdit>[0]>) {
  const { patch, headers } = readEdit({ ...NO_EDIT, ...options });
  const made = createEdit(patch as Record<string, unknown> | undefined, headers);
  if ('faults' in made) throw new UsageError(made.faults.map(({ message }) => message).join('\n'));
  return made;
}

const edit = (message: LogMessage, set: readonly string[], header: readonly string[] = []) =>
  editMessage({ message, isCommand: false }, editOf({ set, header }), codec);

async function editedOf(message: LogMessage, set: readonly string[]) {
  const edited = await edit(message, set);
  if (edited.kind !== 'edited') throw new Error(edited.why);
  return edited;
}

const TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: new Decimal(1000),
  InterestPercent: new Decimal('12.5'),
};

async function avroLetter(payload: object): Promise<LogMessage> {
  const { value, headers } = await codec.encode('CalculatePMTRequest', payload, 'avro');
  return deadLetterMessage({ ...headers, [HEADER.messageType]: undefined }, { value });
}

const BODY = { jsonParam: { ...TERMS, FinancedAmount: 1000, InterestPercent: 12.5 } };

const jsonLetter = (body: unknown, type = 'CalculatePMTRequest') =>
  deadLetterMessage({ [HEADER.messageType]: type }, { value: Buffer.from(JSON.stringify(body)) });

describe('editMessage', () => {
  it.each(['1000', '12345678901234567.89'])(
    'keeps Avro and all other fields, with digits that a binary number cannot hold: %s',
    async (amount) => {
      const terms = { ...TERMS, FinancedAmount: new Decimal(amount) };
      const { value, headers } = await editedOf(await avroLetter(terms), ['jsonParam.InstallmentsNo=5']);
      const payload = { ...terms, InstallmentsNo: 5 };
      expect(await codec.decode({ value, headers })).toMatchObject({ format: 'avro', payload });
    },
  );

  it('keeps JSON, sets a number with all its digits, and warns of ignored fields', async () => {
    const letter = jsonLetter({ jsonParam: { ...BODY.jsonParam, Extra: 1 } });
    const edited = await editedOf(letter, ['jsonParam.InterestPercent=8.33333333333333333333']);
    expect(edited.warnings).toEqual(['unknown-member;jsonParam.Extra']);
    expect(edited.value.toString()).toContain('"InterestPercent":8.33333333333333333333');
  });

  const REPEATED = '{"jsonParam":{"InstallmentsNo":4,"InstallmentsNo":5}}';
  it.each([
    ['repeats a member', REPEATED, '=5', /repeats jsonParam.InstallmentsNo.*discard/],
    ['is invalid then, listing all faults', '{"jsonParam":{}}', '="x"', /InstallmentsNo.*PeriodicityType/],
    ['is the same then', JSON.stringify(BODY), '=4', /./],
    ['is neither Avro nor JSON', 'hello', '=1', /./],
    ['is broken JSON', '{"a":', '=1', /./],
  ])('refuses an edit of a payload that %s', async (_, text, value, why) => {
    const letter = { ...jsonLetter({}), value: Buffer.from(text) };
    const edited = await edit(letter, [`jsonParam.InstallmentsNo${value}`]);
    expect(edited).toMatchObject({ kind: 'refused', why: expect.stringMatching(why) as string });
  });

  it('adds a missing type and a missing reply address', async () => {
    const nameless = jsonLetter(BODY, 'Unheard');
    const why = expect.stringContaining('set the header plat-message-type=') as string;
    expect(await edit(nameless, ['jsonParam.InstallmentsNo=5'])).toMatchObject({ kind: 'refused', why });
    const typed = await edit(nameless, [], ['plat-message-type=CalculatePMTRequest', 'kafka_replyTopic=t']);
    expect(typed).toMatchObject({ kind: 'edited', headers: { kafka_replyTopic: 't' } });
  });

  it('changes only the headers of a message with several requests', async () => {
    const item = await avroLetter(TERMS);
    const inAvro = await codec.encode('RequestBatch', { items: [{ id: 'c-1', value: item.value }] }, 'avro');
    const avro = deadLetterMessage({ ...inAvro.headers, [HEADER.messageType]: undefined }, inAvro);
    for (const letter of [jsonLetter([BODY, BODY]), { ...avro, headers: { ...inAvro.headers } }]) {
      const why = expect.stringContaining('only its headers') as string;
      expect(await edit(letter, ['jsonParam.InstallmentsNo=5'])).toMatchObject({ kind: 'refused', why });
      const headers = { kafka_replyTopic: 'bank.replies' };
      const edited = { kind: 'edited', value: letter.value, headers, warnings: [] };
      expect(await edit(letter, [], ['kafka_replyTopic=bank.replies'])).toEqual(edited);
    }
  });
});

describe('readEdit', () => {
  it('makes one patch, in which the last value of a field counts, and lists the changed fields without values', () => {
    const set = ['a.b=1', 'a.c=2', 'receiver=x', 'receiver=+40722123456', 'cc=null', 'e={}'];
    const read = editOf({ set, header: ['kafka_replyTopic=t', 'x='] });
    expect(read.patch).toEqual({ a: { b: 1, c: 2 }, receiver: '+40722123456', cc: null, e: {} });
    expect(read.headers).toEqual({ kafka_replyTopic: 't', x: undefined });
    expect(editOf({ set: ['a.c=2', 'a=1', 'a=null'] }).patch).toEqual({ a: null });
    const changed = ['a.b', 'a.c', 'receiver', 'cc', 'e', 'header kafka_replyTopic', 'header x'];
    expect(read.changed).toEqual(changed);
  });

  it.each([
    [{ set: ['receiver'] }, 'PATH=VALUE'],
    [
      { set: ['a=null', 'b=1', 'a.c=2'] },
      '--set a=null removes or replaces a value in which --set a.c=2 sets',
    ],
    [
      { set: ['a.b=1', 'a.b={"c":2}'] },
      '--set a.b=1 removes or replaces a value in which --set a.b={"c":2} sets',
    ],
    [{ set: ['notificationId=1'] }, 'notificationId'],
    [{ patch: '/does/not/exist' }, '--patch'],
    [{ header: ['kafka_replyTopic'] }, 'NAME=VALUE'],
    [{ header: ['plat-attempt=9'] }, 'plat-attempt'],
    [{ header: ['plat-redrive-unknown=true'] }, 'plat-redrive-unknown'],
    [{ header: ['plat-dead-letter-code=x'] }, 'plat-dead-letter-code'],
    [{ header: ['plat-origin-timestamp=yesterday'] }, 'epoch milliseconds'],
    [{ header: [`kafka_replyTopic=${'x'.repeat(1_001)}`] }, 'at most 1000 characters'],
    [{ header: ['kafka_replyTopic=a\nb'] }, 'control characters'],
    [{ header: Array.from({ length: 21 }, (_, number) => `h${number}=1`) }, 'at most 20 headers'],
    [{ set: Array.from({ length: 51 }, (_, number) => `f${number}=1`) }, 'at most 50 fields'],
    [{ set: [`${'jsonParam.'.repeat(21)}Amount=1`] }, 'at most 200 characters'],
  ])('refuses %j', (options, text) => {
    expect(() => editOf(options)).toThrow(UsageError);
    expect(() => editOf(options)).toThrow(text);
  });
});

describe('createEdit', () => {
  it('names every field and header beyond a limit, and a deep patch is no failure', () => {
    const deep = JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)) as object;
    const fields = Object.fromEntries(Array.from({ length: 51 }, (_, number) => [`f${number}`, 1]));
    const headers = { x: 'a'.repeat(1_001), ['y'.repeat(200)]: '1' };
    const made = createEdit({ ...fields, ...deep }, headers);
    if (!('faults' in made)) throw new Error('the edit was accepted');
    expect(made.faults.map(({ path, code }) => [path, code])).toEqual([
      [`patch.${'a.'.repeat(30)}`, 'too-long'],
      ['patch', 'too-many-items'],
      ['headers.x', 'too-long'],
      [`headers.${'y'.repeat(60)}`, 'invalid-name'],
    ]);
  });

  it('records only names of fields: a key that is none may be personal data', () => {
    const made = createEdit({ receiver: '1', '+40722123456': null, 'ana@mail.example': { a: 1 } });
    expect(made).toMatchObject({ changed: ['receiver', '?'] });
  });
});

const UUID = '"0c6a9f5e-1d5c-4b9e-8f7a-3f1f3a0f2b12"';

const SPELLINGS = ['NotificationId', 'notificationID', 'NOTIFICATIONID'];

/** A field that is nearly the id is meant as it, and a later origin timestamp would permit a second send. */
it.each([
  ...SPELLINGS.map(
    (name) => [{ set: [`${name}=${UUID}`] }, `${name}: must be written notificationId`] as const,
  ),
  [{ header: ['plat-origin-timestamp=1777629600000'] }, 'keeps its plat-origin-timestamp'] as const,
  [{ header: ['plat-origin-timestamp='] }, 'keeps its plat-origin-timestamp'] as const,
])('an edit %j of a notification is refused', async (options, text) => {
  const edited = await editMessage({ message: deadLetterMessage(), isCommand: true }, editOf(options), codec);
  expect(edited).toMatchObject({ kind: 'refused', why: expect.stringContaining(text) as string });
});

it('the origin timestamp of a calculation, whose day it is, can be changed', async () => {
  const edited = await edit(jsonLetter(BODY), [], ['plat-origin-timestamp=1777629600000']);
  const headers = { 'plat-origin-timestamp': '1777629600000' };
  expect(edited).toMatchObject({ kind: 'edited', headers });
});

describe('a JSON merge patch', () => {
  it('merges objects, removes fields that are null and replaces other values (RFC 7396)', () => {
    const target = { a: { b: 1, c: [1, 2] }, d: 'x' };
    expect(mergePatch(target, { a: { b: null, c: [3], e: 2 }, d: null })).toEqual({ a: { c: [3], e: 2 } });
    expect(mergePatch('text', { a: 1 })).toEqual({ a: 1 });
    expect(mergePatch(target, 5)).toBe(5);
  });

  it('does not change prototypes', () => {
    mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads the value of --set as JSON if it is valid JSON, otherwise as a string', () => {
    const set = [
      'jsonParam.Amount=1000',
      'receiver=+40722123456',
      'cc="40722123456"',
      'subject=a=b',
      'bcc=null',
    ];
    const read = { receiver: '+40722123456', cc: '40722123456', subject: 'a=b', bcc: null };
    expect(readEdit({ ...NO_EDIT, set }).patch).toEqual({ jsonParam: { Amount: 1000 }, ...read });
    for (const text of ['a', '=1', 'a..b=1', '.a=1'])
      expect(() => readEdit({ ...NO_EDIT, set: [text] })).toThrow(UsageError);
  });
});
