import { useMemo } from 'preact/hooks';
import { Badge, Definitions, Notice } from '../design/components.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import type { CatalogueVersionReply } from '../../../../../shared/api/operations/product-lists.ts';
import { isRecord } from '../schedules/loan.ts';
import { getVersion, type RecordFields } from './catalogue-calls.ts';
import { fieldName, isBlank, isId, statusText, valueLines } from './field-values.ts';
import { productsText as t } from '../texts.ts';
import { itemList, sectionsOf, titleField, type Section } from './record-sections.ts';

export function VersionSections({ code, version }: { code: string; version: number }) {
  const loaded = useLoaded((signal) => getVersion(code, version, signal), [code, version]);
  return <WhenLoaded loaded={loaded}>{(found) => <Sections version={found} />}</WhenLoaded>;
}

function Sections({ version }: { version: CatalogueVersionReply }) {
  const sections = useMemo(() => sectionsOf(version), [version]);
  const currency = currencyOf(version);
  const show = ({ key, content }: Section) => {
    const items = itemList(content);
    const looks = items.length > 0 ? 'tight' : 'card';
    return (
      <section key={key} class={`stack product-section ${looks}`} id={`section-${key}`}>
        <h3>{t(key)}</h3>
        {items.length > 0 ? (
          <ItemTable label={t(key)} items={items} currency={currency} />
        ) : (
          <FieldList fields={content as RecordFields} currency={currency} />
        )}
      </section>
    );
  };
  return (
    <>
      <ReadingFaults version={version} />
      <div class="columns" style="--least: 26rem">
        {sections.filter(({ content }) => !Array.isArray(content)).map(show)}
      </div>
      <div class="stack">{sections.filter(({ content }) => Array.isArray(content)).map(show)}</div>
    </>
  );
}

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

/** The currency of the product, for amounts of items without a currency; empty if the product states none. */
export function currencyOf({ product = {} }: CatalogueVersionReply): string {
  const availability = product['Availability'];
  const currency = isRecord(availability) ? availability['Currency'] : undefined;
  return typeof currency === 'string' ? currency : '';
}

export function FieldList({ fields, currency }: { fields: RecordFields; currency: string }) {
  const entries = Object.entries(fields).filter(([, value]) => !isBlank(value));
  const tables = entries.filter(([, value]) => itemList(value).length > 0);
  const plain = entries.filter(([, value]) => itemList(value).length === 0);
  return (
    <>
      <Definitions
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

export function ItemTable({ label, items, currency, hasCaption = false }: ItemTableProps) {
  const title = titleField(items);
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (name) => name !== title && !NO_COLUMNS.has(name) && items.some(({ [name]: value }) => isColumn(value)),
  );
  const column = (name: string) =>
    [
      fieldName(name),
      (item: RecordFields) => {
        const own = typeof item['Currency'] === 'string' ? item['Currency'] : currency;
        return <Lines lines={valueLines(name, item[name], own)} />;
      },
      items.every(({ [name]: value }) => typeof value === 'number' || isBlank(value)) ? 'number' : undefined,
    ] as const;
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
        ...names.map(column),
      ]}
    />
  );
}

/** Fields without a column: a badge shows the status, and cells with amounts show the currency. */
const NO_COLUMNS = new Set(['Status', 'Currency']);

/** Whether a value needs a column. The table shows flags as badges, and no ids. */
function isColumn(value: unknown): boolean {
  return !isBlank(value) && typeof value !== 'boolean' && !isId(value);
}

/** Shows a badge for each flag that is true, except UNITS, and for a status other than Active. */
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

/** Flags without a badge, because the shown values have their unit. */
const UNITS = new Set(['ValueIsPercent', 'ValueIsPercentage', 'IsPercentage']);

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
