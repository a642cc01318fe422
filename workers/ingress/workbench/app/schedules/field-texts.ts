/** Labels, help and values of the fields, in the language of the workbench. */
import { formatAmount, formatDate, formatNumber, formatPercent } from '../format.ts';
import { language } from '../preferences.ts';
import { FIELD_KEYS, inWords, knownText, ROMANIAN_HELP, schedulesText as t } from '../texts.ts';
import { isPercentage, type FormField } from './loan-fields.ts';
import { readField, readPlace, type Entry } from './loan.ts';

/** The label of a field, or its name in words if it has no label. `list`: the list whose items have the field. */
export function fieldText(name: string, list = ''): string {
  return knownText('fields', list === '' ? name : `${list}.${name}`) ?? inWords(name);
}

/** The help of a field and its language, which is English if the field has no Romanian help. */
export function helpText(field: FormField, list = ''): { readonly text: string; readonly lang: 'en' | 'ro' } {
  const romanian = ROMANIAN_HELP[list === '' ? field.name : `${list}.${field.name}`];
  return language.value === 'ro' && romanian !== undefined
    ? { text: romanian, lang: 'ro' }
    : { text: withLabels(field.help), lang: 'en' };
}

/** A field name with a capital inside, such as FeeDate. A name without one, such as Amount, may be an ordinary word. */
const API_NAME = /\b(?:jsonParam\.)?([A-Za-z]*[a-z][A-Z][A-Za-z]*)\b/g;

/** A message of the engine with the labels of this page in place of the names of fields and choices. */
export function withLabels(sentence: string): string {
  return sentence.replaceAll(API_NAME, (_, name: string) => {
    const label = FIELD_KEYS.find((key) => key === name || key.endsWith(`.${name}`));
    const known = label === undefined ? knownText('choices', name) : knownText('fields', label);
    return known === undefined ? inWords(name).toLowerCase() : `"${known}"`;
  });
}

/** The name of an item of a list, such as `Commission 1` for the index 0. */
export function itemText(list: string, index: number): string {
  return `${knownText('items', list) ?? fieldText(list)} ${formatNumber(index + 1)}`;
}

export function addText(list: string): string {
  return knownText('add', list) ?? t('addTo', { list: fieldText(list) });
}

/** A place such as `Commission[0].FeeDate` in labels: `Commission 1: From`. */
export function placeText(place: string): string {
  const found = readPlace(place);
  if (found === undefined) return fieldText(place);
  const item = itemText(found.list, found.index);
  return found.name === '' ? item : `${item}: ${fieldText(found.name, found.list)}`;
}

/** An entered value as the page shows it. A number that cannot be read stays as entered. */
export function valueText(field: FormField, text: string, entry: Entry): string {
  const { kind } = field;
  if (kind === 'date') return formatDate(text);
  if (kind === 'flag' || kind === 'numeric-flag') return flagText(field.name, text === 'true');
  if (kind === 'text') return choiceText(text);
  const number = readField(text, field, entry);
  if (number === undefined) return text;
  if (kind === 'whole') return formatNumber(number);
  return isPercentage(field) ? formatPercent(number, 6) : formatAmount(number, entry.decimals);
}

/** Yes or No; for DecreaseInstallment, the effect of an extra payment. */
export function flagText(name: string, isSet: boolean): string {
  if (name === 'DecreaseInstallment') return t(isSet ? 'keepsTerm' : 'keepsPayment');
  return t(isSet ? 'yes' : 'no');
}

/** The name of a choice. A value without a name, such as a currency, is returned unchanged. */
export function choiceText(value: string): string {
  return value === '' ? t('none') : (knownText('choices', value) ?? value);
}
