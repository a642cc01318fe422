import type { ComponentChildren } from 'preact';

/** A column of a table: its head, what it shows of a row, and the class of both, such as `number`. */
export type Column<Row> = readonly [
  head: ComponentChildren,
  cell: (row: Row, index: number) => ComponentChildren,
  className?: string | undefined,
];

/** Columns; what a condition leaves out is false. */
export type Columns<Row> = readonly (Column<Row> | false)[];

interface TableProps<Row> {
  readonly label: string;
  readonly class?: string;
  /** Without it only screen readers have the label. */
  readonly hasCaption?: boolean;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  /** The column whose cells are the heads of their rows: the first one, unless stated otherwise. */
  readonly header?: number;
  readonly rowClass?: (row: Row, index: number) => string | undefined;
  /** Rows before the others. */
  readonly first?: ComponentChildren;
  readonly foot?: ComponentChildren;
}

/** A table of rows in a frame of its own, which scrolls by itself, also by keyboard, when it is wider than the page. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, header, rowClass, first, foot, hasCaption = false } = props;
  return (
    <div class="table-wrap" role="region" aria-label={label} tabIndex={0}>
      <table class={classes('table', props.class)}>
        {hasCaption && <caption>{label}</caption>}
        <TableHead columns={columns} />
        <tbody>
          {first}
          {rows.map((row, index) => (
            <TableRow key={index} {...{ columns, row, index, header }} class={rowClass?.(row, index)} />
          ))}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

/** The heads of columns; none where no column has one. */
function TableHead<Row>({ columns }: { columns: Columns<Row> }) {
  const shown = columns.filter((column) => column !== false);
  if (shown.every(([head]) => head === '')) return null;
  return (
    <thead>
      <tr>
        {shown.map(([head, , className], index) => (
          <th key={index} scope="col" class={className}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow<Row>(props: {
  columns: Columns<Row>;
  row: Row;
  index?: number;
  header?: number | undefined;
  class?: string | undefined;
}) {
  const { columns, row, index = 0, header = 0 } = props;
  return (
    <tr class={props.class}>
      {columns
        .filter((column) => column !== false)
        .map(([, cell, className], at) => {
          const Cell = at === header ? 'th' : 'td';
          return (
            <Cell key={at} scope={at === header ? 'row' : undefined} class={className}>
              {cell(row, index)}
            </Cell>
          );
        })}
    </tr>
  );
}

/** The class of an element from several; undefined without any. */
export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
