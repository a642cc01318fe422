import { useMemo } from 'preact/hooks';
import { Badge, CodeText, CopyButton, Definitions, Notice } from '../design/components.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { classes, Table } from '../design/table.tsx';
import type { CatalogueVersionReply } from '../../../../../shared/api/operations/product-lists.ts';
import { getVersion, type RecordFields } from './catalogue-api.ts';
import { fieldName, isBlank, isId, statusText, valueLines } from './field-values.ts';
import { t } from './texts.ts';
import { isFields, itemList, sectionsOf, titleField, type SectionKey } from './version-sections.ts';

/** Lists with few fields, of which two fit beside each other. */
const NARROW: ReadonlySet<SectionKey> = new Set([
  'insuranceItems',
  'customLists',
  'destinations',
  'associated',
  'documents',
]);

/** A version, section by section. */
export function VersionSections({ code, version }: { code: string; version: number }) {
  const loaded = useLoaded((signal) => getVersion(code, version, signal), [code, version]);
  return <WhenLoaded loaded={loaded}>{(found) => <Sections version={found} />}</WhenLoaded>;
}

function Sections({ version }: { version: CatalogueVersionReply }) {
  const sections = useMemo(() => sectionsOf(version), [version]);
  const currency = currencyOf(version);
  return (
    <>
      <ReadingFaults version={version} />
      {sections.length > 0 && (
        <nav class="row no-print" aria-label={t('contents')}>
          {sections.map(({ key }) => (
            <a key={key} href={`#section-${key}`}>
              {t(key)}
            </a>
          ))}
        </nav>
      )}
      <div class="product-cards">
        {sections.map(({ key, content }) =>
          Array.isArray(content) ? null : (
            <section key={key} class="card stack product-section" id={`section-${key}`}>
              <h3>{t(key)}</h3>
              <FieldList fields={content as RecordFields} currency={currency} />
            </section>
          ),
        )}
      </div>
      <div class="columns" style="--least: 26rem">
        {sections.map(({ key, content }) =>
          Array.isArray(content) ? (
            <section
              key={key}
              class={classes('stack tight product-section', !NARROW.has(key) && 'product-section-wide')}
              id={`section-${key}`}
            >
              <h3>{t(key)}</h3>
              <ItemTable label={t(key)} items={content} currency={currency} />
            </section>
          ) : null,
        )}
      </div>
      {version.product !== undefined && (
        <details class="card card-tight no-print">
          <summary>{t('asJson')}</summary>
          <div class="stack">
            <div>
              <CopyButton text={() => JSON.stringify(version, undefined, 2)} />
            </div>
            <CodeText label={t('asJson')} text={JSON.stringify(version, undefined, 2)} />
          </div>
        </details>
      )}
    </>
  );
}

/** What the workers cannot use, and why. */
export function ReadingFaults({ version }: { version: CatalogueVersionReply }) {
  const faulty = version.lists.filter(({ fault }) => fault !== undefined);
  return (
    <>
      {version.fault !== undefined && (
        <Notice tone="bad">
          <strong>{t('unreadable', { version: version.version })}</strong>
          <p>{version.fault}</p>
        </Notice>
      )}
      {faulty.length > 0 && (
        <Notice tone="warn">
          <strong>{t('faultyLists')}</strong>
          <ul>
            {faulty.map(({ kind, code, fault }) => (
              <li key={`${kind}/${code}`}>
                <code>{code}</code>: {fault}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

/** The currency of the amounts of a version that have none of their own. */
export function currencyOf({ product = {} }: CatalogueVersionReply): string {
  const availability = product['Availability'];
  const currency = isFields(availability) ? availability['Currency'] : undefined;
  return typeof currency === 'string' ? currency : '';
}

function FieldList({ fields, currency }: { fields: RecordFields; currency: string }) {
  const entries = Object.entries(fields).filter(([, value]) => !isBlank(value));
  const tables = entries.filter(([, value]) => itemList(value).length > 0);
  const plain = entries.filter(([, value]) => itemList(value).length === 0);
  return (
    <>
      <Definitions
        class="definition-list product-fields"
        items={plain.map(([field, value]) => [
          fieldName(field),
          <Lines lines={valueLines(field, value, currency)} />,
        ])}
      />
      {tables.map(([field, value]) => (
        <ItemTable
          key={field}
          label={fieldName(field)}
          items={itemList(value)}
          currency={currency}
          hasCaption
        />
      ))}
    </>
  );
}

interface ItemTableProps {
  readonly label: string;
  readonly items: readonly RecordFields[];
  readonly currency: string;
  readonly hasCaption?: boolean;
}

/** Items in rows: their fields with values, and flags that are set beside the name. Fields that few items have share a column. */
function ItemTable({ label, items, currency, hasCaption = false }: ItemTableProps) {
  const title = titleField(items);
  const { columns, rare } = columnsOf(items, title, currency);
  const numeric = new Set(columns.filter((name) => items.every(({ [name]: value }) => isNumber(value))));
  const currencyOfItem = (item: RecordFields): string => ownCurrency(item) ?? currency;
  return (
    <Table
      label={label}
      hasCaption={hasCaption}
      rows={items}
      columns={[
        [
          fieldName(title ?? 'Name'),
          (item, index) => (
            <>
              {title === undefined ? index + 1 : String(item[title])} <Flags item={item} />
            </>
          ),
        ],
        ...columns.map(
          (name) =>
            [
              fieldName(name),
              (item: RecordFields) => <Lines lines={valueLines(name, item[name], currencyOfItem(item))} />,
              numeric.has(name) ? 'number' : CELL_CLASSES[name],
            ] as const,
        ),
        rare.length > 0 && [
          t('details'),
          (item) => <Lines lines={rareLines(item, rare, currencyOfItem(item))} />,
          'breakable',
        ],
      ]}
    />
  );
}

const CELL_CLASSES: Readonly<Record<string, string>> = {
  Values: 'nowrap',
  Code: 'nowrap',
  InsuranceCode: 'nowrap',
  List: 'nowrap',
  Description: 'breakable',
};

/** Figures come first, and what refers to other records last. */
const FIRST = ['Values', 'Percent', 'PercentagePoints', 'Amount'];
const LAST = ['Filters', 'Description', 'List'];
/** A field that fewer items have shares a column with others. */
const LEAST_SHARE = 0.5;

function columnsOf(items: readonly RecordFields[], title: string | undefined, currency: string) {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (name) => name !== title && name !== 'Status' && items.some(({ [name]: value }) => isColumn(value)),
  );
  // Amounts have their currency.
  const isOther = (name: string): boolean =>
    name !== 'Currency' || items.some(({ Currency }) => Currency !== currency);
  const ordered = [
    ...FIRST.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST.includes(name) && !LAST.includes(name) && isOther(name)),
    ...LAST.filter((name) => names.includes(name)),
  ];
  const isRare = (name: string): boolean =>
    items.filter(({ [name]: value }) => isColumn(value)).length < items.length * LEAST_SHARE;
  return { columns: ordered.filter((name) => !isRare(name)), rare: ordered.filter(isRare) };
}

/** Flags are badges, and ids are only in the JSON. */
function isColumn(value: unknown): boolean {
  return !isBlank(value) && typeof value !== 'boolean' && !isId(value);
}

function rareLines(item: RecordFields, rare: readonly string[], currency: string): readonly string[] {
  const lines = rare
    .filter((name) => isColumn(item[name]))
    .map((name) => `${fieldName(name)}: ${valueLines(name, item[name], currency).join('; ')}`);
  return lines.length === 0 ? ['–'] : lines;
}

/** The flags that are set, and the status of an item that is not used. Values show whether they are in percent. */
function Flags({ item }: { item: RecordFields }) {
  const { Status: status } = item;
  const set = Object.entries(item).filter(([name, value]) => value === true && !UNITS.has(name));
  const isUnused = typeof status === 'string' && status !== 'Active';
  if (set.length === 0 && !isUnused) return null;
  return (
    <span class="row tight">
      {isUnused && <Badge tone="warn">{statusText(status)}</Badge>}
      {set.map(([name]) => (
        <Badge key={name}>{fieldName(name)}</Badge>
      ))}
    </span>
  );
}

const UNITS = new Set(['ValueIsPercent', 'ValueIsPercentage', 'IsPercentage']);

/** The lines of a value, each on its own. */
export function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 1) return <>{lines[0]}</>;
  return (
    <ul class="lines">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isBlank(value);
}

/** The currency of an item; undefined if it has none. */
export function ownCurrency({ Currency }: RecordFields): string | undefined {
  return typeof Currency === 'string' ? Currency : undefined;
}
