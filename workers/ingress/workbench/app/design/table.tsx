import type { ComponentChildren } from 'preact';

/** A column of a table: its head, what it shows of a row, and the class of both, such as `number`. */
export type Column<Row> = readonly [
  head: ComponentChildren,
  cell: (row: Row, index: number) => ComponentChildren,
  className?: string | undefined,
];

interface TableProps<Row> {
  readonly label: string;
  readonly class?: string;
  /** Without it only screen readers have the label. */
  readonly hasCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The column whose cells are the heads of their rows: the first one, unless stated otherwise. */
  readonly header?: number;
  readonly rowClass?: (row: Row, index: number) => string | undefined;
  readonly first?: ComponentChildren;
  readonly foot?: ComponentChildren;
}

/** A table of rows in a frame of its own, which scrolls by itself, also by keyboard, when it is wider than the page. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, header = 0, rowClass, first, foot, hasCaption = false } = props;
  return (
    <div class="table-wrap" role="region" aria-label={label} tabIndex={0}>
      <table class={classes('table', props.class)}>
        {hasCaption && <caption>{label}</caption>}
        {columns.some(([head]) => head !== '') && (
          <thead>
            <tr>
              {columns.map(([head, , className], at) => (
                <th key={at} scope="col" class={className}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {first}
          {rows.map((row, index) => (
            <tr key={index} class={rowClass?.(row, index)}>
              {columns.map(([, cell, className], at) => {
                const Cell = at === header ? 'th' : 'td';
                return (
                  <Cell key={at} scope={at === header ? 'row' : undefined} class={className}>
                    {cell(row, index)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
