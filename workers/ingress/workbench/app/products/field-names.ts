import { language } from '../preferences.ts';
import { FIELD_NAMES } from './field-name-list.ts';

/** The name of a field in the current language; a field without one as words: NewField becomes New field. */
export function fieldName(field: string): string {
  const names = Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field] : undefined;
  if (names !== undefined) return language.value === 'ro' ? names[1] : names[0];
  const words = field.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return words.charAt(0) + words.slice(1).toLowerCase();
}
