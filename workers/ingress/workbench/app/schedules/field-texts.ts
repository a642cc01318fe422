/** Labels, help and values of the fields in the language of the workbench. A field without a label here is shown by its name. */
import { formatAmount, formatDate, formatNumber, formatPercent } from '../format.ts';
import { language } from '../preferences.ts';
import { createTexts } from '../texts.ts';
import { FIELD_LABELS } from './field-labels.ts';
import { isPercentage, type FormField } from './form-field.ts';
import { readField, readPlace, type Entry } from './loan.ts';
import { t } from './texts.ts';

/** The label of a field; `list` is the list of an item. */
export function fieldText(name: string, list = ''): string {
  return labelAt(list === '' ? name : `${list}.${name}`) ?? inWords(name);
}

function labelAt(key: string): string | undefined {
  return FIELD_LABELS[key]?.[language.value === 'ro' ? 1 : 0];
}

/** The help of a field, with its language: Romanian only where it is translated. */
export function helpText(field: FormField, list = ''): { readonly text: string; readonly lang: 'en' | 'ro' } {
  const romanian = FIELD_LABELS[list === '' ? field.name : `${list}.${field.name}`]?.[2];
  return language.value === 'ro' && romanian !== undefined
    ? { text: romanian, lang: 'ro' }
    : { text: withLabels(field.help), lang: 'en' };
}

/** Names of the interface with a capital inside: single words are words of a sentence. */
const API_NAME = /\b(?:jsonParam\.)?([A-Za-z]*[a-z][A-Z][A-Za-z]*)\b/g;

/** A sentence about the interface with the labels of this page in place of names. */
export function withLabels(sentence: string): string {
  return sentence.replaceAll(API_NAME, (_, name: string) => {
    const label = Object.keys(FIELD_LABELS).find((key) => key === name || key.endsWith(`.${name}`));
    if (label !== undefined) return `"${labelAt(label)}"`;
    return Object.hasOwn(CHOICES.en, name) ? `"${choiceText(name)}"` : inWords(name).toLowerCase();
  });
}

/** `NewField` as `New field`. */
function inWords(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The name of an item, such as `Commission 2`. */
export function itemText(list: string, index: number): string {
  const name = itemNames[language.value][list];
  return `${name ?? fieldText(list)} ${formatNumber(index + 1)}`;
}

const itemNames: Readonly<Record<'en' | 'ro', Readonly<Record<string, string>>>> = {
  en: {
    Commission: 'Commission',
    Insurance: 'Insurance',
    MultipleInterestRates: 'Interval',
    BandedInterestRates: 'Band',
    EarlyRepayments: 'Extra payment',
  },
  ro: {
    Commission: 'Comisionul',
    Insurance: 'Asigurarea',
    MultipleInterestRates: 'Intervalul',
    BandedInterestRates: 'Tranșa',
    EarlyRepayments: 'Rambursarea',
  },
};

/** The button that adds an item. */
export function addText(list: string): string {
  const known = addTexts[language.value][list];
  return known ?? t('addTo', { list: fieldText(list) });
}

const addTexts: Readonly<Record<'en' | 'ro', Readonly<Record<string, string>>>> = {
  en: {
    Commission: 'Add commission',
    Insurance: 'Add insurance',
    MultipleInterestRates: 'Add rate by instalments',
    BandedInterestRates: 'Add rate by balance',
    EarlyRepayments: 'Add extra payment',
  },
  ro: {
    Commission: 'Adaugă un comision',
    Insurance: 'Adaugă o asigurare',
    MultipleInterestRates: 'Adaugă o rată pe interval',
    BandedInterestRates: 'Adaugă o rată pe tranșă',
    EarlyRepayments: 'Adaugă o rambursare',
  },
};

/** The label of a place in the form: of a field, of an item, or of a field of an item. */
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

type Choice = keyof typeof CHOICES.en;

/** Values of the interface that have a name here. */
const CHOICES = {
  en: {
    EqualInstallments: 'Equal instalments',
    EqualPrincipal: 'Equal principal',
    InterestOnly: 'Interest only',
    Balloon: 'Balloon',
    EffectiveRate: 'Effective rate',
    Overdraft: 'Overdraft',
    Deposit: 'Deposit',
    CreditCard: 'Credit card',
    Leasing: 'Leasing',
    Once: 'Once, at the end',
    Daily: 'Daily',
    Weekly: 'Weekly',
    Biweekly: 'Every two weeks',
    Monthly: 'Monthly',
    Bimonthly: 'Every two months',
    Quarterly: 'Quarterly',
    Trimestrial: 'Quarterly',
    Semiannual: 'Every six months',
    Semestrial: 'Every six months',
    Annual: 'Yearly',
    Yearly: 'Yearly',
    Days: 'Days',
    Weeks: 'Weeks',
    Months: 'Months',
    Years: 'Years',
    TL: 'Term loan (TL)',
    MG: 'Mortgage (MG)',
    C: 'Credit (C)',
    OD: 'Overdraft (OD)',
    BA: 'Bank account (BA)',
    D: 'Deposit (D)',
    CC: 'Credit card (CC)',
    LS: 'Leasing (LS)',
    Forward: 'To the next working day',
    Backward: 'To the previous working day',
    ModifiedForward: 'Next, within the month',
    ModifiedBackward: 'Previous, within the month',
    Nearest: 'To the nearest working day',
    None: 'Not moved',
    ActualMonth: 'Month of the start',
    NextMonth: 'Month after the start',
    Deferred: 'Deferred',
    Capitalised: 'Added to the balance',
    Spread: 'Spread over the rest',
    Forgiven: 'Forgiven',
    Slices: 'Each slice of the balance',
    Whole: 'The whole balance',
    FinancedAmount: 'The financed amount',
    RemainingValue: 'The balance',
    Principal: 'The principal',
    Interest: 'The interest',
    Installment: 'The instalment',
    UnusedAmount: 'The unused amount',
  },
  ro: {
    EqualInstallments: 'Rate egale',
    EqualPrincipal: 'Principal egal',
    InterestOnly: 'Doar dobândă',
    Balloon: 'Balon',
    EffectiveRate: 'Rată efectivă',
    Overdraft: 'Descoperit de cont',
    Deposit: 'Depozit',
    CreditCard: 'Card de credit',
    Leasing: 'Leasing',
    Once: 'O singură dată, la final',
    Daily: 'Zilnic',
    Weekly: 'Săptămânal',
    Biweekly: 'La două săptămâni',
    Monthly: 'Lunar',
    Bimonthly: 'La două luni',
    Quarterly: 'Trimestrial',
    Trimestrial: 'Trimestrial',
    Semiannual: 'Semestrial',
    Semestrial: 'Semestrial',
    Annual: 'Anual',
    Yearly: 'Anual',
    Days: 'Zile',
    Weeks: 'Săptămâni',
    Months: 'Luni',
    Years: 'Ani',
    TL: 'Credit la termen (TL)',
    MG: 'Ipotecar (MG)',
    C: 'Credit (C)',
    OD: 'Descoperit de cont (OD)',
    BA: 'Cont curent (BA)',
    D: 'Depozit (D)',
    CC: 'Card de credit (CC)',
    LS: 'Leasing (LS)',
    Forward: 'În ziua lucrătoare următoare',
    Backward: 'În ziua lucrătoare anterioară',
    ModifiedForward: 'Următoarea, în aceeași lună',
    ModifiedBackward: 'Anterioara, în aceeași lună',
    Nearest: 'În cea mai apropiată zi lucrătoare',
    None: 'Nu se mută',
    ActualMonth: 'Luna începutului',
    NextMonth: 'Luna de după început',
    Deferred: 'Amânată',
    Capitalised: 'Adăugată la sold',
    Spread: 'Distribuită pe rest',
    Forgiven: 'Iertată',
    Slices: 'Fiecărei tranșe a soldului',
    Whole: 'Întregului sold',
    FinancedAmount: 'Suma finanțată',
    RemainingValue: 'Sold',
    Principal: 'Principal',
    Interest: 'Dobândă',
    Installment: 'Rată',
    UnusedAmount: 'Suma neutilizată',
  },
} as const;
const choiceNames = createTexts<Choice>(CHOICES);

/** The name of a choice, which two spellings of the same may share; the value itself where it is a name already, such as a currency. */
export function choiceText(value: string): string {
  if (value === '') return t('none');
  return Object.hasOwn(CHOICES.en, value) ? choiceNames(value as Choice) : value;
}
