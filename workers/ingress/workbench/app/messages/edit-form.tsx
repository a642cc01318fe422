import { useState } from 'preact/hooks';
import { parseJson } from '../../../../../shared/platform/json.ts';
import { Button } from '../design/components.tsx';
import { LinesField } from '../design/fields.tsx';
import type { EditDeadLetters } from './operations-api.ts';
import { t } from './texts.ts';

/** The changes of an edit. */
export type LetterEdit = Pick<EditDeadLetters, 'patch' | 'headers'>;

interface EditFormProps {
  /** The changes so far, when one returns from the preview. */
  readonly edit: LetterEdit | undefined;
  readonly onPreview: (edit: LetterEdit) => void;
}

/** The changes to payload and headers, which are checked as JSON and as lines before the preview. */
export function EditForm({ edit, onPreview }: EditFormProps) {
  const [patch, setPatch] = useState(
    edit?.patch === undefined ? '' : JSON.stringify(edit.patch, undefined, 2),
  );
  const [headers, setHeaders] = useState(writeHeaders(edit?.headers));
  const [errors, setErrors] = useState<{ readonly patch?: string; readonly headers?: string }>({});
  const submit = (event: Event): void => {
    event.preventDefault();
    const readPatch = parseObject(patch);
    const readHeaders = parseHeaders(headers);
    const isEmpty = patch.trim() === '' && headers.trim() === '';
    const patchError = isEmpty
      ? t('changeMissing')
      : patch.trim() !== '' && readPatch === undefined
        ? t('patchInvalid')
        : undefined;
    const headerError =
      typeof readHeaders === 'number' ? t('headerInvalid', { line: readHeaders }) : undefined;
    setErrors({
      ...(patchError === undefined ? {} : { patch: patchError }),
      ...(headerError === undefined ? {} : { headers: headerError }),
    });
    if (patchError !== undefined || typeof readHeaders === 'number') return;
    onPreview({
      ...(readPatch === undefined ? {} : { patch: readPatch }),
      ...(Object.keys(readHeaders).length === 0 ? {} : { headers: readHeaders }),
    });
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <LinesField
        label={t('patch')}
        hint={t('patchHint')}
        error={errors.patch}
        value={patch}
        rows={6}
        isCode
        onChange={setPatch}
      />
      <LinesField
        label={t('headerChanges')}
        hint={t('headerHint')}
        error={errors.headers}
        value={headers}
        rows={2}
        isCode
        onChange={setHeaders}
      />
      <div>
        <Button kind="primary" type="submit">
          {t('preview')}
        </Button>
      </div>
    </form>
  );
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseJson(text);
  const value = parsed.kind === 'parsed' ? parsed.value : undefined;
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** The headers of the lines, or the number of the first line that is not one. */
function parseHeaders(text: string): Readonly<Record<string, string | null>> | number {
  const headers: Record<string, string | null> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return index + 1;
    const value = line.slice(at + 1).trim();
    headers[line.slice(0, at).trim()] = value === '' ? null : value;
  }
  return headers;
}

function writeHeaders(headers: LetterEdit['headers'] = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}=${value ?? ''}`)
    .join('\n');
}
