/** Labels, help and values of the fields in the language of the workbench. A field without a label here is shown by its name. */
import { formatAmount, formatDate, formatNumber, formatPercent } from '../format.ts';
import { language } from '../preferences.ts';
import { FIELD_KEYS, inWords, knownText, ROMANIAN_HELP, schedulesText as t } from '../texts.ts';
import { isPercentage, type FormField } from './loan-fields.ts';
import { readField, readPlace, type Entry } from './loan.ts';

/** The label of a field; `list` is the list of an item. */
export function fieldText(name: string, list = ''): string {
  return knownText('fields', list === '' ? name : `${list}.${name}`) ?? inWords(name);
}

/** The help of a field, with its language: Romanian only where it is translated. */
export function helpText(field: FormField, list = ''): { readonly text: string; readonly lang: 'en' | 'ro' } {
  const romanian = ROMANIAN_HELP[list === '' ? field.name : `${list}.${field.name}`];
  return language.value === 'ro' && romanian !== undefined
    ? { text: romanian, lang: 'ro' }
    : { text: withLabels(field.help), lang: 'en' };
}

/** Names of the interface with a capital inside: single words are words of a sentence. */
const API_NAME = /\b(?:jsonParam\.)?([A-Za-z]*[a-z][A-Z][A-Za-z]*)\b/g;

/** A sentence about the interface with the labels of this page in place of names. */
export function withLabels(sentence: string): string {
  return sentence.replaceAll(API_NAME, (_, name: string) => {
    const label = FIELD_KEYS.find((key) => key === name || key.endsWith(`.${name}`));
    const known = label === undefined ? knownText('choices', name) : knownText('fields', label);
    return known === undefined ? inWords(name).toLowerCase() : `"${known}"`;
  });
}

export function itemText(list: string, index: number): string {
  return `${knownText('items', list) ?? fieldText(list)} ${formatNumber(index + 1)}`;
}

export function addText(list: string): string {
  return knownText('add', list) ?? t('addTo', { list: fieldText(list) });
}

export function placeText(place: string): string {
  const found = readPlace(place);
  if (found === undefined) return fieldText(place);
  const item = itemText(found.list, found.index);
  return found.name === '' ? item : `${item}: ${fieldText(found.name, found.list)}`;
}

/** A value of the form for reading; what is not a number stays as entered. */
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

/** What a flag means where yes and no do not say it. */
export function flagText(name: string, isSet: boolean): string {
  if (name === 'DecreaseInstallment') return t(isSet ? 'keepsTerm' : 'keepsPayment');
  return t(isSet ? 'yes' : 'no');
}

/** The name of a choice, which two spellings of the same may share; the value itself where it is a name already, such as a currency. */
export function choiceText(value: string): string {
  return value === '' ? t('none') : (knownText('choices', value) ?? value);
}
