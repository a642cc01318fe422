import type { ComponentChildren } from 'preact';

/** A column: its head, the content of its cells, and the class of the head and the cells, such as `number`. */
export type Column<Row> = readonly [
  head: ComponentChildren,
  cell: (row: Row, index: number) => ComponentChildren,
  className?: string | undefined,
];

interface TableProps<Row> {
  readonly label: string;
  readonly class?: string;
  /** Whether the label is visible as a caption; otherwise only screen readers announce it. */
  readonly hasCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The index of the column whose cells are row headers; 0 by default, -1 for none. */
  readonly header?: number;
  readonly rowClass?: (row: Row, index: number) => string | undefined;
  /** A `tr` above the rows. */
  readonly first?: ComponentChildren;
  readonly foot?: ComponentChildren;
}

/** A table in a frame. The frame scrolls a wide table and can have the focus, so that the keyboard scrolls it. */
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
