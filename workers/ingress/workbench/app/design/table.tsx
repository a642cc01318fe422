import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

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
  /** What is open below a row; false: nothing is. Each row is then a group of its own. */
  readonly details?: (row: Row, index: number) => ComponentChildren;
  /** Rows before the others. */
  readonly first?: ComponentChildren;
  readonly foot?: ComponentChildren;
}

/** A table of rows in a frame of its own. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, header, rowClass, details, first, foot, hasCaption = false } = props;
  const row = (one: Row, index: number) => (
    <TableRow key={index} {...{ columns, row: one, index, header }} class={rowClass?.(one, index)} />
  );
  return (
    <TableFrame label={label}>
      <table class={classes('table', props.class)}>
        {hasCaption && <caption>{label}</caption>}
        <TableHead columns={columns} />
        {details === undefined ? (
          <tbody>
            {first}
            {rows.map(row)}
          </tbody>
        ) : (
          rows.map((one, index) => (
            <tbody key={index}>
              {row(one, index)}
              <Details columns={columns.length}>{details(one, index)}</Details>
            </tbody>
          ))
        )}
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </TableFrame>
  );
}

function Details({ columns, children }: { columns: number; children?: ComponentChildren }) {
  if (children === false) return null;
  return (
    <tr class="table-details">
      <td colSpan={columns}>{children}</td>
    </tr>
  );
}

/** A table that scrolls by itself, also by keyboard, when it is wider than the page. */
export function TableFrame(props: { label: string; children: ComponentChildren }) {
  return (
    <div class="table-wrap" role="region" aria-label={props.label} tabIndex={0}>
      {props.children}
    </div>
  );
}

/** The heads of columns; none where no column has one. */
export function TableHead<Row>({ columns }: { columns: Columns<Row> }) {
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

export function TableRow<Row>(props: {
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

/** The rows that are open, and the button that opens or closes one. */
export function useOpenRows(initial: readonly number[] = []) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set(initial));
  const toggle = (index: number): void => {
    const changed = new Set(open);
    if (!changed.delete(index)) changed.add(index);
    setOpen(changed);
  };
  const button = (index: number, text: ComponentChildren, label?: string) => (
    <button
      type="button"
      class="fold"
      aria-expanded={open.has(index)}
      aria-label={label}
      onClick={() => toggle(index)}
    >
      {text}
    </button>
  );
  return [open, button] as const;
}

/** The class of an element from several; undefined without any. */
export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
