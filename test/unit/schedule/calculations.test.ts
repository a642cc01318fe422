import { expect, it } from 'vitest';
import { formatCalendar } from '../../../workers/schedule/calculations.ts';

it.each([
  ['RO', '2026.1', 'RO;version=2026.1'],
  ['RO+TARGET', '2026.1+2026.1', 'RO+TARGET;version=2026.1+2026.1'],
  ['Bank; version=0, North', '1', 'Bank%3B%20version%3D0%2C%20North;version=1'],
  ['😀\ud800', '1', '%F0%9F%98%80%EF%BF%BD;version=1'],
  ['Zürich (old)', 'a\nb', 'Z%C3%BCrich%20%28old%29;version=a%0Ab'],
])('the calendar %j of version %j is formatted as %s (H2)', (name, version, header) => {
  expect(formatCalendar({ name, version })).toBe(header);
});
