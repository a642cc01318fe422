import { expect, it } from 'vitest';
import { uuidV5 } from '../../../shared/notification/notification-id.ts';

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

it.each([
  ['www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
  ['', '4ebd0208-8328-5d69-8c44-ec50939c0967'],
  ['Brașov', '406a125d-b29d-56aa-ae33-960c341fb9bd'],
])('derives the UUID of %j', (name, id) => {
  expect(uuidV5(name, DNS)).toBe(id);
  expect(uuidV5(name, DNS.toUpperCase())).toBe(id);
});
