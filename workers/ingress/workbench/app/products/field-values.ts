/** Writes names and values of catalogue fields as text, in the language of the workbench. */
import { formatAmount, formatDate, formatPercent } from '../format.ts';
import { choiceText } from '../schedules/field-texts.ts';
import { inWords, knownText, productsText as t } from '../texts.ts';
import { isRecord } from '../schedules/loan.ts';
import type { RecordFields } from './catalogue-calls.ts';
import { itemList, titleField } from './record-sections.ts';

const PERCENT = /Percent$|^Percent$|Advance$/;
const MONEY = /Amount$|^Amount$|^CommissionValue$|^MinimumEarlyRepaymentValue$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const STATUSES = ['Approved', 'Active', 'Draft', 'VersionDraft', 'Closed'] as const;
const MOST_DECIMALS = 12;
const MOST_NUMBERS = 30;
/** Fields with values that `choiceText` names, such as `Months`. */
const CHOICES = new Set(['PaymentScheduleTypes', 'PeriodType']);
const DAY_FIELDS = new Set(['ValidFrom', 'ValidTo', 'CollectionValidFrom', 'CollectionValidTo']);

export function fieldName(field: string): string {
  return knownText('recordFields', field) ?? inWords(field);
}

/** True for undefined, null, an empty text and an empty list, but not for false. */
export function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

export function isId(value: unknown): boolean {
  return typeof value === 'string' && GUID.test(value);
}

/** The name of a status in the language of the workbench. Other text is returned unchanged; null becomes a dash. */
export function statusText(status: string | null): string {
  const known = STATUSES.find((one) => one === status);
  return known === undefined ? (status ?? '–') : t(`status${known}`);
}

export function periodicityText(name: string): string {
  return name === 'Once' ? t('once') : choiceText(name);
}

/** The value of a field as lines, one for each item of a list of records. `currency` follows amounts; may be empty. */
export function valueLines(field: string, value: unknown, currency: string): readonly string[] {
  if (isBlank(value)) return ['–'];
  if (isRecord(value)) return [itemLine(value, currency)];
  if (!Array.isArray(value)) return [scalarText(field, value, currency)];
  const items = itemList(value);
  if (items.length > 0) return items.map((item) => itemLine(item, currency));
  const shown = value.slice(0, MOST_NUMBERS).map((one: unknown) => scalarText(field, one, currency));
  const rest = value.length - shown.length;
  return [shown.join(', ') + (rest === 0 ? '' : t('andMore', { count: rest }))];
}

function scalarText(field: string, value: unknown, currency: string): string {
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') {
    // Numbers in a list of values may be ids, such as those of employers, so thousands are not separated.
    if (field === 'Values') return String(value);
    if (PERCENT.test(field)) return formatPercent(value, MOST_DECIMALS);
    return MONEY.test(field) ? moneyText(value, currency) : numberText(value);
  }
  const text = String(value);
  if (field === 'PeriodicityType') return periodicityText(text);
  if (CHOICES.has(field)) return choiceText(text);
  if (field === 'Status' || field === 'ValueStatus') return statusText(text);
  return DAY.test(text) ? formatDate(text) : text;
}

function moneyText(value: number, currency: string): string {
  const decimals = Number.isInteger(value) ? 0 : Math.max(2, decimalsOf(value));
  return `${formatAmount(value, decimals)} ${currency}`.trim();
}

function numberText(value: number): string {
  return formatAmount(value, decimalsOf(value));
}

function decimalsOf(value: number): number {
  return Math.min(MOST_DECIMALS, (String(value).split('.')[1] ?? '').length);
}

function itemLine(item: RecordFields, currency: string): string {
  if (typeof item['Expression'] === 'string') return `${String(item['Name'])} = ${item['Expression']}`;
  if ('From' in item || 'To' in item || Array.isArray(item['Values']) || 'List' in item)
    return filterLine(item);
  const title = titleField([item]);
  const parts = Object.entries(item)
    .filter(([field, value]) => field !== title && !DAY_FIELDS.has(field) && !isBlank(value))
    .filter(([field, value]) => value !== false && !isId(value) && value !== 'Active' && field !== 'Id')
    .map(([field, value]) => fieldLine(field, value, currency));
  const days = daysText(
    item['ValidFrom'] ?? item['CollectionValidFrom'],
    item['ValidTo'] ?? item['CollectionValidTo'],
  );
  const named = title === undefined ? [] : [String(item[title])];
  return [...named, ...parts, days].filter((part) => part !== '').join(' · ');
}

/** A field as `name: value`. Percent, Amount and statuses are written without name, true flags without value. */
function fieldLine(field: string, value: unknown, currency: string): string {
  const text = valueLines(field, value, currency).join('; ');
  if (field === 'Percent' || field === 'Amount' || field === 'Status' || field === 'ValueStatus') return text;
  return value === true ? fieldName(field) : `${fieldName(field)}: ${text}`;
}

/** Writes a range of days (`yyyy-mm-dd`). A bound that is not text is open; the result is empty if both are. */
export function daysText(from: unknown, to: unknown): string {
  const start = typeof from === 'string' ? t('from', { day: formatDate(from) }) : '';
  const end = typeof to === 'string' ? t('to', { day: formatDate(to) }) : '';
  return `${start} ${end}`.trim();
}

function filterLine({ Name, From, To, Values, List }: RecordFields): string {
  const name = String(Name);
  if (typeof List === 'string') return t('filterList', { name, list: List });
  if (Array.isArray(Values)) return `${name}: ${valueLines('Values', Values, '').join('')}`;
  const [from, to] = [From, To].map((bound) => (typeof bound === 'number' ? numberText(bound) : undefined));
  if (from === undefined) return t('filterTo', { name, to: to ?? '' });
  return to === undefined ? t('filterFrom', { name, from }) : t('filterRange', { name, from, to });
}
