import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Badge, Notice, PageHead, Tabs } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatDate } from '../format.ts';
import type {
  CatalogueProductReply,
  ListedVersion,
} from '../../../../../shared/api/operations/product-lists.ts';
import { getProduct } from './catalogue-api.ts';
import { VersionDifferences } from './differences-view.tsx';
import { daysText, statusText } from './field-values.ts';
import { OfferSimulation } from './offer-simulation.tsx';
import { addressOf, versionOf, VIEWS, type ViewName } from './product-address.ts';
import { ProductLookUp, useProduct } from './product-look-up.tsx';
import { currentDay } from './product-search.tsx';
import { VersionSections } from './sections-view.tsx';
import { t } from './texts.ts';
import { gapText, TimelineChart } from './timeline-chart.tsx';
import { findGaps, findOverlaps, versionOn } from './version-timeline.ts';

/** Views of a product that need no scope. */
const PUBLIC_VIEWS: readonly ViewName[] = ['look-up', 'offer'];

/** One product: its versions on a timeline, their sections and differences, and what callers get. The address has the state. */
export function ProductDetail({ code }: { code: string }) {
  const { query } = useLocation();
  const loaded = useLoaded((signal) => getProduct(code, signal), [code]);
  const product = loaded.value;
  const { name, type, currency } = product ?? {};
  return (
    <>
      <PageHead
        title={name ?? product?.code ?? code}
        lead={[product?.code ?? code, type, currency].filter((part) => part !== undefined).join(' · ')}
      >
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
              {asProblem(error).code !== 'unknown-product' && (
                <ProductViews code={code} product={undefined} />
              )}
            </>
          )}
        >
          {(found) => <ProductViews code={code} product={found} />}
        </WhenLoaded>
      </div>
    </>
  );
}

/** The views; without the versions of the product only those that look it up. */
function ProductViews({ code, product }: { code: string; product: CatalogueProductReply | undefined }) {
  const { query, route } = useLocation();
  const versions = product?.versions ?? [];
  const views = product === undefined ? PUBLIC_VIEWS : VIEWS;
  const view = views.find((one) => one === query['view']) ?? views[0] ?? 'look-up';
  const day = currentDay();
  const selected = versionOf(query['version']) ?? (versionOn(versions, day) ?? versions.at(-1))?.version ?? 1;
  const before = versionOf(query['compare']) ?? neighbourOf(versions, selected);
  const go = (changed: Readonly<Record<string, string>>): void =>
    route(addressOf(code, { ...query, ...changed }), true);
  return (
    <>
      {product !== undefined && (
        <Versions code={code} product={product} day={day} selected={selected} query={query} go={go} />
      )}
      <Tabs
        label={t('views')}
        tabs={views.map((key) => ({ key, label: t(key) }))}
        selected={view}
        onSelect={(chosen) => go({ view: chosen })}
      >
        {view === 'sections' && <VersionSections code={code} version={selected} />}
        {view === 'differences' && (
          <VersionDifferences
            code={code}
            versions={versions}
            before={before}
            after={selected}
            onChoose={(one, other) => go({ compare: String(one), version: String(other) })}
          />
        )}
        {(view === 'look-up' || view === 'offer') && <LookedUp code={code} view={view} />}
      </Tabs>
    </>
  );
}

/** The version before another one, or else after it. */
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
  readonly code: string;
  readonly product: CatalogueProductReply;
  readonly day: string;
  readonly selected: number;
  readonly query: Readonly<Record<string, string>>;
  readonly go: (changed: Readonly<Record<string, string>>) => void;
}

function Versions({ code, product, day, selected, query, go }: VersionsProps) {
  const { versions, versionCount } = product;
  const gaps = findGaps(versions);
  const overlaps = findOverlaps(versions);
  const hasApproved = versions.some(({ status }) => status === 'Approved');
  return (
    <section class="card stack">
      <h2>{t('versions')}</h2>
      {!product.isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      {versionCount > versions.length && (
        <Notice>{t('olderVersions', { count: versionCount - versions.length })}</Notice>
      )}
      <TimelineChart
        versions={versions}
        day={day}
        selected={selected}
        onSelect={(version) => go({ version: String(version) })}
      />
      {gaps.length + overlaps.length > 0 && (
        <Notice tone="warn">
          <ul>
            {gaps.map((gap) => (
              <li key={gap.from}>{gapText(gap)}</li>
            ))}
            {overlaps.map(({ from, to, versions: [one, other] }) => (
              <li key={`${one} ${other}`}>
                {t('overlapOf', { one, other, days: daysText(from, to) || t('always') })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {!hasApproved && <Notice>{t('noneApproved')}</Notice>}
      <VersionTable code={code} product={product} day={day} selected={selected} query={query} go={go} />
    </section>
  );
}

function VersionTable({ code, product, day, selected, query, go }: VersionsProps) {
  const { versions } = product;
  const used = versionOn(versions, day);
  const link = (changed: Readonly<Record<string, string>>, text: string, isHere = false) => (
    <PlaceLink code={code} query={{ ...query, ...changed }} isHere={isHere} onOpen={() => go(changed)}>
      {text}
    </PlaceLink>
  );
  return (
    <Table
      label={t('versions')}
      rows={versions}
      rowClass={({ version }) => (version === selected ? 'product-row-selected' : undefined)}
      columns={[
        [
          t('versionHead'),
          (version) => {
            const number = String(version.version);
            return (
              <>
                {link({ version: number }, t('version', { version: number }), version.version === selected)}{' '}
                {version === used && <Badge tone="good">{t('today')}</Badge>}
              </>
            );
          },
        ],
        [t('status'), ({ status }) => statusText(status)],
        [t('validFrom'), ({ validFrom }) => (validFrom === null ? t('open') : formatDate(validFrom))],
        [t('validTo'), ({ validTo }) => (validTo === null ? t('open') : formatDate(validTo))],
        [t('name'), ({ name }) => name ?? '–'],
        [
          <span class="visually-hidden">{t('differences')}</span>,
          ({ version }) =>
            version !== selected &&
            link(
              { view: 'differences', compare: String(version), version: String(selected) },
              t('compareWith', { version, other: selected }),
            ),
        ],
      ]}
    />
  );
}

/** A link within the page of a product: it does not scroll to the top, and the page is one step of the history. */
function PlaceLink(props: {
  code: string;
  query: Readonly<Record<string, string>>;
  isHere?: boolean;
  onOpen: () => void;
  children: ComponentChildren;
}) {
  const { code, query, isHere = false, onOpen, children } = props;
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    // The router would follow the link too.
    event.stopPropagation();
    onOpen();
  };
  return (
    <a href={addressOf(code, query)} aria-current={isHere ? 'true' : undefined} onClick={open}>
      {children}
    </a>
  );
}
