import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asProblem, type ShownProblem } from '../engine-error.ts';
import type { Fault } from '../../../../../shared/platform/problem.ts';
import { classes } from './table.tsx';
import { designText as t } from '../texts.ts';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'className'> {
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'normal';
  readonly small?: boolean;
}

export function Button({ kind = 'normal', small = false, ...rest }: ButtonProps) {
  const looks = classes('button', kind !== 'normal' && `button-${kind}`, small && 'button-small');
  return <button type="button" {...rest} class={looks} />;
}

/** The head of a page. It also sets the title of the document. `children`: its buttons and links. */
export function PageHead(props: { title: string; lead?: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${props.title} · Workbench`;
  }, [props.title]);
  return (
    <header class="page-head">
      <div>
        <h1>{props.title}</h1>
        {props.lead !== undefined && <p>{props.lead}</p>}
      </div>
      {props.children !== undefined && <div class="row no-print">{props.children}</div>}
    </header>
  );
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={tone === 'neutral' ? 'badge' : `badge badge-${tone}`}>{children}</span>;
}

/** A message within the page. Screen readers announce a message of tone `bad` at once. */
export function Notice(props: { tone?: Exclude<Tone, 'neutral'>; children: ComponentChildren }) {
  const { tone = 'accent', children } = props;
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

export function Empty(props: { title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.text !== undefined && <p>{props.text}</p>}
      {props.children}
    </div>
  );
}

export function Loading({ label }: { label?: string }) {
  return (
    <p class="soft" role="status">
      {label ?? t('loading')}
    </p>
  );
}

/** Shows why a call failed: the problem, its faults, and the call's id in the logs. `say` gives the text of a fault. */
export function Failure(props: { error: unknown; onRetry?: () => void; say?: (fault: Fault) => string }) {
  const problem = asProblem(props.error);
  return (
    <Notice tone="bad">
      <strong>{explain(problem)}</strong>
      {problem.detail !== undefined && <p>{problem.detail}</p>}
      {problem.errors !== undefined && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((fault) => (
            <li key={`${fault.path} ${fault.code}`}>
              {props.say?.(fault) ?? (
                <>
                  <code>{fault.path}</code>: {fault.message}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {problem.correlationId !== undefined && (
        <p class="small soft">
          {t('correlationId')}: <code>{problem.correlationId}</code>
        </p>
      )}
      {props.onRetry !== undefined && (
        <div>
          <Button small onClick={props.onRetry}>
            {t('retry')}
          </Button>
        </div>
      )}
    </Notice>
  );
}

function explain({ code, title, status }: ShownProblem): string {
  if (code === 'unreachable') return t('unreachable');
  if (code === 'timeout') return t('noResponse');
  return status === 403 ? t('forbidden') : title;
}

/** A modal dialog. Calls `onClose` after it closes: by its button, by Escape, or because it is no longer rendered. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Opens the dialog before the next paint. useEffect would open it later, and an Escape until then would be lost.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog class="dialog stack" ref={element} aria-labelledby={id} onClose={props.onClose}>
      <div class="row-between">
        <h2 id={id}>{props.title}</h2>
        <Button kind="quiet" small onClick={() => element.current?.close()}>
          {t('close')}
        </Button>
      </div>
      {props.children}
    </dialog>
  );
}

/** On a click, copies what `text` returns, and shows for two seconds whether that succeeded. */
export function CopyButton({ text, label }: { text: () => string; label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'notCopied'>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => setOutcome((await copyText(text())) ? 'copied' : 'notCopied');
  return (
    <Button small onClick={() => void copy()}>
      <span aria-live="polite">{outcome === undefined ? (label ?? t('copy')) : t(outcome)}</span>
    </Button>
  );
}

/** Preformatted text that scrolls in its own area. The area can have the focus, so that the keyboard scrolls it. */
export function CodeText({ label, text }: { label: string; text: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** Names with their values. Omits items whose value is undefined, null, false or an empty text. */
export function Definitions(props: {
  class?: string;
  items: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class={props.class ?? 'definition-list'}>
      {props.items.map(([name, value]) =>
        value === undefined || value === null || value === '' || value === false ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

async function copyText(text: string): Promise<boolean> {
  // Browsers give scripts no clipboard on pages without TLS, except on loopback.
  if (!isSecureContext) return copySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

/** Selects the text in an invisible field and copies it, as a user would. Returns false if the browser refuses. */
function copySelection(text: string): boolean {
  const former = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // While a modal dialog is open, text outside it cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (former instanceof HTMLElement) former.focus();
  return isCopied;
}

/** Downloads a file; text is in UTF-8. */
export function download(name: string, content: string | Uint8Array<ArrayBuffer>, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
