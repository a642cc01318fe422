import { Definitions } from '../design/components.tsx';
import { formatDate, groupSign } from '../format.ts';
import { groupFields, groupItemFields } from './field-groups.ts';
import { fieldText, itemText, valueText } from './field-texts.ts';
import type { FormField } from './form-field.ts';
import { entryOf, isSent, itemsOf, type Entry, type Loan, type Values } from './loan.ts';
import { groupText, t } from './texts.ts';

/** The head of a printed offer: what the form contains, by group, without what is left empty. */
export function OfferHead(props: {
  loan: Loan;
  form: readonly FormField[];
  today: string;
  /** The name of the variant, if there are several. */
  variant: string | undefined;
}) {
  const { loan, form, today, variant } = props;
  const groups = groupFields(form)
    .filter(({ name }) => name !== 'response')
    .map(({ name, main, more }) => ({
      name,
      lines: [...main, ...more].flatMap((field) => linesOf(field, loan)),
    }));
  return (
    <section class="offer">
      <div class="row-between">
        <h2>
          {t('offer')}
          {variant !== undefined && `: ${t('variant', { name: variant })}`}
        </h2>
        <span class="soft">{t('calculatedOn', { date: formatDate(today) })}</span>
      </div>
      <div class="offer-groups">
        {groups
          .filter(({ lines }) => lines.length > 0)
          .map(({ name, lines }) => (
            <section key={name}>
              <h3>{groupText(name)}</h3>
              <Definitions items={lines} />
            </section>
          ))}
      </div>
    </section>
  );
}

/** The end of a printed offer. */
export function OfferNote() {
  return <p class="offer small">{t('offerNote')}</p>;
}

type Line = readonly [label: string, value: string];

function linesOf(field: FormField, loan: Loan): readonly Line[] {
  const entry = entryOf(loan, groupSign());
  const { name, items } = field;
  const { main, more } = groupItemFields(field);
  if (items === undefined) {
    const text = loan.fields[name] ?? '';
    return text === '' ? [] : [[fieldText(name), valueText(field, text, entry)]];
  }
  return itemsOf(loan, name).flatMap((item, index): readonly Line[] =>
    isSent(name, item) ? [[itemText(name, index), describeItem(item, [...main, ...more], name, entry)]] : [],
  );
}

/** The values of an item with their labels; texts, dates and percentages say by themselves what they are. */
function describeItem(item: Values, fields: readonly FormField[], list: string, entry: Entry): string {
  const parts = fields.flatMap((field) => {
    const text = item[field.name] ?? '';
    if (text === '') return [];
    const value = valueText(field, text, entry);
    const speaks = field.kind === 'text' || field.kind === 'date' || value.endsWith('%');
    return [
      {
        order: field.kind === 'text' ? 0 : 1,
        text: speaks ? value : `${fieldText(field.name, list)} ${value}`,
      },
    ];
  });
  return parts
    .toSorted((one, other) => one.order - other.order)
    .map(({ text }) => text)
    .join(', ');
}
