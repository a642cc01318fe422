import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { tokenRefused } from './api.ts';
import { Button, Dialog, Empty, Failure } from './design/components.tsx';
import { Form, LinesField, Select } from './design/fields.tsx';
import { MessagesPage } from './messages/messages-page.tsx';
import { TOKEN_REQUIRED, WORKBENCH_PATH } from './page-settings.ts';
import { language, theme, token, type Language, type Theme } from './preferences.ts';
import { ProductsPage } from './products/product-page.tsx';
import { PortfolioPage } from './portfolio/portfolio-page.tsx';
import { SchedulesPage } from './schedules/schedules-page.tsx';
import { SystemPage } from './system/system-page.tsx';
import { shellText as t } from './texts.ts';

/** The pages by the part of their address after /workbench/, in the order in which the navigation shows them. */
const PAGES = [
  ['schedules', SchedulesPage],
  ['products', ProductsPage],
  ['portfolio', PortfolioPage],
  ['messages', MessagesPage],
  ['system', SystemPage],
] as const;

export function Shell() {
  return (
    <LocationProvider scope={WORKBENCH_PATH}>
      <a class="skip-link" href="#content">
        {t('skip')}
      </a>
      <Head />
      <Content />
    </LocationProvider>
  );
}

function Head() {
  const { path } = useLocation();
  return (
    <header class="row shell-head">
      <a class="shell-brand" href={WORKBENCH_PATH}>
        <svg width="22" height="22" viewBox="0 0 16 16" aria-hidden="true">
          <rect width="16" height="16" rx="3" fill="currentColor" />
          <path d="M3 12h2V8H3zm4 0h2V5H7zm4 0h2V3h-2z" fill="var(--surface)" />
        </svg>
        {t('workbench')}
      </a>
      <nav class="shell-nav" aria-label={t('navigation')}>
        <ul class="row">
          {PAGES.map(([name]) => {
            const address = `${WORKBENCH_PATH}/${name}`;
            const isHere =
              path.startsWith(address) ||
              (name === 'schedules' && path.replace(/\/$/, '') === WORKBENCH_PATH);
            return (
              <li key={name}>
                <a href={address} aria-current={isHere ? 'page' : undefined}>
                  {t(name)}
                </a>
              </li>
            );
          })}
          <li>
            <a href="/docs" target="_self">
              {t('reference')}
            </a>
          </li>
        </ul>
      </nav>
      <Tools />
    </header>
  );
}

/** Language, theme and token. The dialog for the token opens by itself if a required token is missing or refused. */
function Tools() {
  const asksForToken = TOKEN_REQUIRED && (token.value === '' || tokenRefused.value);
  const [tokenOpen, setTokenOpen] = useState(false);
  useEffect(() => {
    if (asksForToken) setTokenOpen(true);
  }, [asksForToken]);
  return (
    <>
      <div class="row shell-tools">
        {TOKEN_REQUIRED && (
          <Button small onClick={() => setTokenOpen(true)}>
            {t('tokenChange')}
          </Button>
        )}
        <Select<Language>
          control={{ 'aria-label': t('language') }}
          value={language.value}
          options={[
            ['en', 'English'],
            ['ro', 'Română'],
          ]}
          onChange={(value) => (language.value = value)}
        />
        <Select<Theme>
          control={{ 'aria-label': t('theme') }}
          value={theme.value}
          options={[
            ['system', t('themeSystem')],
            ['light', t('themeLight')],
            ['dark', t('themeDark')],
          ]}
          onChange={(value) => (theme.value = value)}
        />
      </div>
      {tokenOpen && <TokenDialog onClose={() => setTokenOpen(false)} />}
    </>
  );
}

/** Tokens are visible ASCII. The browser sends no call whose header has a character beyond Latin-1. */
const TOKEN_TEXT = /^[\x21-\x7e]+$/;

function TokenDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [isMalformed, setMalformed] = useState(false);
  const use = (): void => {
    const entered = text.trim();
    if (entered === '') return;
    if (!TOKEN_TEXT.test(entered)) return setMalformed(true);
    tokenRefused.value = false;
    token.value = entered;
    onClose();
  };
  const refused = tokenRefused.value ? t('tokenRefused') : undefined;
  return (
    <Dialog title={t('token')} onClose={onClose}>
      <p>{t('tokenLead')}</p>
      <Form class="stack" onSubmit={use}>
        <LinesField
          label={t('token')}
          error={isMalformed ? t('tokenSyntax') : refused}
          rows={4}
          value={text}
          onChange={(entered) => {
            setMalformed(false);
            setText(entered);
          }}
        />
        <div class="row">
          <Button kind="primary" type="submit">
            {t('tokenUse')}
          </Button>
          {token.value !== '' && (
            <Button
              onClick={() => {
                token.value = '';
                onClose();
              }}
            >
              {t('tokenForget')}
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

function Content() {
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  const [error, setError] = useState<unknown>();
  const page = path.slice(WORKBENCH_PATH.length).split('/')[1] ?? '';
  const isFirst = useRef(true);
  useEffect(() => {
    setError(undefined);
    // The content of a new page gets the focus, so that the keyboard and screen readers continue there.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [page]);
  return (
    <main class="shell-main" id="content" ref={main} tabIndex={-1}>
      {error !== undefined && <Failure error={error} onRetry={() => location.reload()} />}
      <ErrorBoundary onError={setError}>
        <Router>
          <Route path={WORKBENCH_PATH} component={SchedulesPage} />
          {PAGES.map(([name, component]) => (
            <Route key={name} path={`${WORKBENCH_PATH}/${name}/:rest*`} component={component} />
          ))}
          <Route default component={UnknownPage} />
        </Router>
      </ErrorBoundary>
    </main>
  );
}

function UnknownPage() {
  return (
    <Empty title={t('unknownPage')}>
      <a class="button" href={WORKBENCH_PATH}>
        {t('backHome')}
      </a>
    </Empty>
  );
}
