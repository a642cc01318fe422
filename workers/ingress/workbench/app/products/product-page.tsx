import { useLocation, useRoute } from 'preact-iso';
import { Badge, Notice, PageHead, Button, Empty } from '../design/components.tsx';
import { withQuery } from '../api.ts';
import { asProblem } from '../engine-error.ts';
import { useJson, WhenLoaded, type Loaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatDate } from '../format.ts';
import { DAY_MS, dayMs, dayText } from '../utc-days.ts';
import type {
  CatalogueProductReply,
  ListedVersion,
  ListedProduct,
  ProductPage,
} from '../../../../../shared/api/operations/product-lists.ts';
import { productsText as t } from '../texts.ts';
import { addressOf, versionOf, PRODUCTS, NO_FILTERS, type ProductFilters } from './catalogue-calls.ts';
import { daysText, statusText } from './field-values.ts';
import { OfferSimulation } from './offer-simulation.tsx';
import { ProductLookUp, useProduct } from './product-look-up.tsx';
import { findBreaks, timeScale, versionOn } from './validity.ts';
import { VersionDifferences } from './version-differences.tsx';
import { VersionSections } from './version-sections.tsx';
import { useEffect, useState } from 'preact/hooks';
import { Form, TextField } from '../design/fields.tsx';

/** `look-up` and `offer` need no scope; the other views need operations:read. */
const VIEWS = ['sections', 'differences', 'look-up', 'offer'] as const;
const PUBLIC_VIEWS = VIEWS.slice(2);

export function ProductsPage() {
  const code = (useRoute().params['rest'] ?? '').trim();
  return code === '' ? <ProductSearch /> : <ProductDetail key={code} code={code} />;
}

const inOneLine = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(' · ');

function ProductDetail({ code }: { code: string }) {
  const { query } = useLocation();
  const loaded = useJson<CatalogueProductReply>(`${PRODUCTS}/${encodeURIComponent(code)}`);
  const product = loaded.value;
  const { name, type, currency } = product ?? {};
  return (
    <>
      <PageHead title={name ?? product?.code ?? code} lead={inOneLine(product?.code ?? code, type, currency)}>
        <a
          class="button"
          href={addressOf('', { search: query['search'] ?? '', validOn: query['validOn'] ?? '' })}
        >
          {t('allProducts')}
        </a>
      </PageHead>
      <div class="stack">
        <WhenLoaded
          loaded={loaded}
          failed={(error, notice) => (
            <>
              {notice}
              {asProblem(error).code !== 'unknown-product' && <ProductViews code={code} />}
            </>
          )}
        >
          {(found) => <ProductViews code={code} product={found} />}
        </WhenLoaded>
      </div>
    </>
  );
}

function ProductViews({ code, product }: { code: string; product?: CatalogueProductReply }) {
  const { query, route } = useLocation();
  const versions = product?.versions ?? [];
  const views = product === undefined ? PUBLIC_VIEWS : VIEWS;
  const view = views.find((one) => one === query['view']) ?? views[0] ?? 'look-up';
  const day = dayText(Date.now());
  const selected = versionOf(query['version']) ?? (versionOn(versions, day) ?? versions.at(-1))?.version ?? 1;
  const before = versionOf(query['compare']) ?? neighbourOf(versions, selected);
  const go = (changed: Readonly<Record<string, string>>): void =>
    route(addressOf(code, { ...query, ...changed }), true);
  return (
    <>
      {product !== undefined && <Versions {...{ product, day, selected, go }} />}
      <nav class="tabs" aria-label={t('views')}>
        {views.map((key) => (
          <button
            key={key}
            type="button"
            aria-current={key === view ? 'page' : undefined}
            onClick={() => go({ view: key })}
          >
            {t(key)}
          </button>
        ))}
      </nav>
      {view === 'sections' && <VersionSections code={code} version={selected} />}
      {view === 'differences' && (
        <VersionDifferences
          code={code}
          versions={versions}
          before={before}
          after={selected}
          choose={(sides) => go({ compare: String(sides.before), version: String(sides.after) })}
        />
      )}
      {(view === 'look-up' || view === 'offer') && <LookedUp code={code} view={view} />}
    </>
  );
}

function neighbourOf(versions: readonly ListedVersion[], selected: number): number {
  const others = versions.map(({ version }) => version).filter((version) => version !== selected);
  return others.findLast((version) => version < selected) ?? others[0] ?? selected;
}

function LookedUp({ code, view }: { code: string; view: 'look-up' | 'offer' }) {
  return (
    <WhenLoaded loaded={useProduct(code)}>
      {(found) =>
        view === 'look-up' ? (
          <ProductLookUp found={found} />
        ) : (
          <OfferSimulation code={code} product={found.product} />
        )
      }
    </WhenLoaded>
  );
}

interface VersionsProps {
  readonly product: CatalogueProductReply;
  readonly day: string;
  readonly selected: number;
  readonly go: (changed: Readonly<Record<string, string>>) => void;
}

function Versions({ product, day, selected, go }: VersionsProps) {
  const { versions, versionCount } = product;
  const breaks = findBreaks(versions);
  return (
    <section class="card stack">
      <h2>{t('versions')}</h2>
      {!product.isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      {versionCount > versions.length && (
        <Notice>{t('olderVersions', { count: versionCount - versions.length })}</Notice>
      )}
      {breaks.length > 0 && (
        <Notice tone="warn">
          <ul>
            {breaks.map(({ from, to, versions: [one, other] }) => (
              <li key={`${from} ${one}`}>
                {one === undefined || other === undefined
                  ? t('gap', { days: daysText(from, to) })
                  : t('overlapOf', { one, other, days: daysText(from, to) || t('always') })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {versions.every(({ status }) => status !== 'Approved') && <Notice>{t('noneApproved')}</Notice>}
      <VersionTable {...{ product, day, selected, go }} />
    </section>
  );
}

function VersionTable({ product: { versions }, day, selected, go }: VersionsProps) {
  const used = versionOn(versions, day);
  const scale = timeScale(versions, day);
  return (
    <Table
      label={t('versions')}
      rows={versions}
      rowClass={({ version }) => (version === selected ? 'selected' : undefined)}
      columns={[
        [
          t('versionHead'),
          ({ version }) => (
            <>
              <button
                type="button"
                class="link-button"
                aria-current={version === selected ? 'true' : undefined}
                onClick={() => go({ version: String(version) })}
              >
                {t('version', { version })}
              </button>{' '}
              {version === used?.version && <Badge tone="good">{t('today')}</Badge>}
            </>
          ),
        ],
        [t('status'), ({ status }) => statusText(status)],
        [t('validFrom'), ({ validFrom }) => (validFrom === null ? t('open') : formatDate(validFrom))],
        [t('validTo'), ({ validTo }) => (validTo === null ? t('open') : formatDate(validTo))],
        [<ValidityAxis scale={scale} />, (one) => <ValidityBars versions={[one]} {...{ scale, day }} />],
        [t('name'), ({ name }) => name ?? '–'],
      ]}
    />
  );
}

const TYPING_MS = 200;
const MAX_SEARCH = 100;

function ProductSearch() {
  const { query, route } = useLocation();
  const { search = '', validOn = '', cursor = '' } = query;
  const filters = { search, validOn, cursor };
  const loaded = useJson<ProductPage>(withQuery(PRODUCTS, filters));
  const filter = (changed: Partial<ProductFilters>): void =>
    route(addressOf('', { ...filters, cursor: '', ...changed }), true);
  const [typed, setTyped] = useState(search);
  const clear = (): void => {
    setTyped('');
    filter(NO_FILTERS);
  };
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div class="stack">
        <SearchForm {...{ filters, loaded, typed, setTyped, filter, clear }} />
        <WhenLoaded
          loaded={loaded}
          failed={(_, notice) => (
            <>
              {notice}
              <OpenByCode />
            </>
          )}
        >
          {(page) => <Results page={page} filters={filters} onClear={clear} />}
        </WhenLoaded>
      </div>
    </>
  );
}

function SearchForm(props: {
  filters: ProductFilters;
  loaded: Loaded<ProductPage>;
  typed: string;
  setTyped: (text: string) => void;
  filter: (changed: Partial<ProductFilters>) => void;
  clear: () => void;
}) {
  const { filters, loaded, typed, setTyped, filter, clear } = props;
  const { route } = useLocation();
  useEffect(() => {
    if (typed.trim() === filters.search) return undefined;
    const timer = setTimeout(() => filter({ search: typed.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, filters.search, filters.validOn]);
  const open = (): void => {
    const code = codeToOpen(loaded.value?.products ?? [], typed);
    if (code !== undefined) route(addressOf(code, { ...filters, search: typed.trim() }));
  };
  const faults = loaded.error === undefined ? [] : (asProblem(loaded.error).errors ?? []);
  const faultOf = (name: string) => faults.find(({ path }) => path === name)?.message;
  return (
    <Form class="card card-tight search-form no-print" role="search" onSubmit={open}>
      <TextField
        label={t('search')}
        hint={t('searchHint')}
        error={faultOf('search')}
        type="search"
        maxLength={MAX_SEARCH}
        value={typed}
        onChange={setTyped}
      />
      <TextField
        label={t('validOn')}
        error={faultOf('validOn')}
        type="date"
        value={filters.validOn}
        onChange={(validOn) => filter({ validOn })}
      />
      {(typed !== '' || filters.validOn !== '') && (
        <Button kind="quiet" onClick={clear}>
          {t('clear')}
        </Button>
      )}
    </Form>
  );
}

/** The code of the product that Enter opens: the typed code if the page lists it, or else the only code listed. */
function codeToOpen(products: readonly ListedProduct[], typed: string): string | undefined {
  const key = typed.trim().toLowerCase();
  const exact = products.find(({ code }) => code.toLowerCase() === key);
  return exact?.code ?? (products.length === 1 ? products[0]?.code : undefined);
}

function OpenByCode() {
  const { route } = useLocation();
  const [code, setCode] = useState('');
  const open = (): void => {
    if (code.trim() !== '') route(addressOf(code.trim(), {}));
  };
  return (
    <Form class="card card-tight search-form" onSubmit={open}>
      <TextField label={t('code')} hint={t('codeHint')} maxLength={64} value={code} onChange={setCode} />
      <Button type="submit">{t('show')}</Button>
    </Form>
  );
}

function Results(props: { page: ProductPage; filters: ProductFilters; onClear: () => void }) {
  const { page, filters, onClear } = props;
  const { products, count, total, nextCursor } = page;
  const day = filters.validOn === '' ? dayText(Date.now()) : filters.validOn;
  const all = products.flatMap(({ versions }) => versions);
  const scale = timeScale(all, day);
  return (
    <>
      {!page.isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      <p role="status">
        {count === total ? t('productCount', { total }) : t('productsFound', { count, total })}
      </p>
      {total === 0 && (
        <Empty title={t('emptyCatalogue')}>
          <p>
            {t('publish')} <code>npm run catalogue -- publish FOLDER</code>
          </p>
        </Empty>
      )}
      {total > 0 && count === 0 && (
        <Empty title={t('noneFound')}>
          <Button onClick={onClear}>{t('clear')}</Button>
        </Empty>
      )}
      {products.length > 0 && (
        <Table
          label={t('title')}
          class="product-list"
          rows={products}
          columns={[
            [
              t('product'),
              ({ code, name, type, currency }) => (
                <>
                  <a href={addressOf(code, { ...filters, cursor: '' })}>{name ?? code}</a>
                  <div class="small soft">{inOneLine(code, type, currency)}</div>
                </>
              ),
            ],
            [t('validOnDay', { day: formatDate(day) }), (product) => <Validity {...{ product, day }} />],
            [
              <ValidityAxis scale={scale} />,
              ({ versions }) => <ValidityBars {...{ versions, scale, day }} />,
              'wide-only',
            ],
          ]}
        />
      )}
      <div class="row no-print">
        {filters.cursor !== '' && <a href={addressOf('', { ...filters, cursor: '' })}>{t('firstPage')}</a>}
        {nextCursor !== undefined && (
          <a class="button" href={addressOf('', { ...filters, cursor: nextCursor })}>
            {t('nextPage')}
          </a>
        )}
      </div>
    </>
  );
}

function Validity({ product: { versions, versionCount }, day }: { product: ListedProduct; day: string }) {
  const used = versionOn(versions, day);
  const last = versions.at(-1);
  const unused = last?.status === 'Approved' ? t('notValidOn', { day: formatDate(day) }) : undefined;
  return (
    <>
      {used === undefined ? (
        <Badge tone={unused === undefined ? 'neutral' : 'warn'}>
          {unused ?? statusText(last?.status ?? null)}
        </Badge>
      ) : (
        <Badge tone="good">{t('versionOf', { version: used.version, count: versionCount })}</Badge>
      )}
      <div class="small soft">
        {daysText((used ?? last)?.validFrom, (used ?? last)?.validTo) || t('always')}
      </div>
    </>
  );
}

type TimeScale = ReturnType<typeof timeScale>;

const TICKS = 5;

function ValidityBars(props: { versions: readonly ListedVersion[]; scale: TimeScale; day: string }) {
  const { versions, scale, day } = props;
  const today = `${scale(dayMs(day))}%`;
  return (
    <svg class="validity-bars" aria-hidden="true">
      {scale.ticks(TICKS).map((tick) => (
        <line key={tick} class="grid" x1={`${scale(tick)}%`} x2={`${scale(tick)}%`} y1="0" y2="100%" />
      ))}
      {versions.toSorted(approvedLast).map(({ version, status, validFrom, validTo }) => {
        const left = scale(validFrom === null ? -Infinity : dayMs(validFrom));
        const right = scale(validTo === null ? Infinity : dayMs(validTo) + DAY_MS);
        const kind = status === 'Approved' ? 'approved' : status === 'Closed' ? 'closed' : 'draft';
        return (
          <rect
            key={version}
            class={`validity-${kind}`}
            x={`${left}%`}
            width={`${right - left}%`}
            y="20%"
            height="60%"
            rx="3"
          />
        );
      })}
      <line class="validity-today" x1={today} x2={today} y1="0" y2="100%" />
    </svg>
  );
}

/** Sorts Approved versions last. Later bars cover earlier ones, so a draft does not hide an Approved version. */
const approvedLast = (one: ListedVersion, other: ListedVersion): number =>
  Number(one.status === 'Approved') - Number(other.status === 'Approved');

function ValidityAxis({ scale }: { scale: TimeScale }) {
  const ticks = scale.ticks(TICKS);
  const areYears = ticks.every((tick) => tick.getUTCMonth() === 0);
  return (
    <>
      <span class="visually-hidden">{t('versions')}</span>
      <svg class="validity-bars" aria-hidden="true">
        {ticks.map((tick) => (
          <text key={tick} x={`${scale(tick)}%`} y="70%">
            {areYears ? tick.getUTCFullYear() : formatDate(dayText(tick)).replace(/^1 /, '')}
          </text>
        ))}
      </svg>
    </>
  );
}
