import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { readLender } from '../../../workers/simulation/lender.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const lenderOf = (LENDER_LOGO_FILE: string) =>
  readLender(loadConfig({ LENDER_NAME: 'Bank', LENDER_LOGO_FILE }).lender);

test('the lender has the texts of the settings, and the logo as a data URI (T3)', async () => {
  const file = path.join(scratchFolder(), 'logo.png');
  writeFileSync(file, PIXEL);
  const logo = `data:image/png;base64,${PIXEL.toString('base64')}`;
  expect(await lenderOf(file)).toEqual({ name: 'Bank', address: undefined, contact: undefined, logo });
  expect(await readLender(loadConfig({}).lender)).toEqual({});
});

test('a start is refused with a logo that is absent, too large, or no PNG or JPEG', async () => {
  const file = path.join(scratchFolder(), 'logo.png');
  await expect(lenderOf(file)).rejects.toThrow('LENDER_LOGO_FILE');
  writeFileSync(file, readFileSync('docs/images/workbench-timeline.png'));
  await expect(lenderOf(file)).rejects.toThrow('at most 65536 bytes');
  writeFileSync(file, '<svg/>');
  await expect(lenderOf(file)).rejects.toThrow('PNG or JPEG');
});

test.each([
  ['a PNG that ends too early', PIXEL.subarray(0, 40)],
  ['a PNG whose pixels cannot be inflated', Buffer.from(PIXEL).fill(0xff, 45, 50)],
  ['a PNG without pixels', Buffer.from(PIXEL).fill(0, 16, 24)],
  ['a JPEG without a frame', Buffer.from('ffd8ffe000104a4649460001', 'hex')],
])('a start is refused with a broken logo: %s', async (_, bytes) => {
  const file = path.join(scratchFolder(), 'logo');
  writeFileSync(file, bytes);
  await expect(lenderOf(file)).rejects.toThrow(/^LENDER_LOGO_FILE: .* is broken/);
});

test('texts of the lender have at most 500 characters, and a misspelt setting is named', () => {
  expect(() => loadConfig({ LENDER_NAME: 'x'.repeat(501) })).toThrow(
    'LENDER_NAME: must have at most 500 characters',
  );
  expect(() => loadConfig({ LENDER_NAM: 'x' })).toThrow('did you mean LENDER_NAME?');
});
