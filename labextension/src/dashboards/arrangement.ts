import type { DockLayout, Widget } from '@lumino/widgets';

/** Where something is put: beside something else, or wherever there is room. */
export interface IPlace {
  readonly mode?: DockLayout.InsertMode;
  /** Id of the widget that it is put beside. */
  readonly ref?: string;
  /** Whether it comes to the front of its tabs; it does unless told. */
  readonly activate?: boolean;
}

/** Pages side by side: columns from left to right, each from top to bottom. */
export type Arrangement = readonly (readonly string[])[];

/**
 * Open pages in columns.
 *
 * All columns are made before their second rows: a column that is split first would get the next one beside its
 * first row only.
 */
export function arrange<T extends Widget>(
  arrangement: Arrangement,
  start: IPlace,
  open: (page: string, place: IPlace) => T
): T[] {
  const columns = arrangement.filter(column => column.length > 0);
  const views: T[] = [];
  const heads: T[] = [];
  for (const [page] of columns) {
    const before = heads[heads.length - 1];
    heads.push(open(page, before ? { mode: 'split-right', ref: before.id } : start));
  }
  columns.forEach(([, ...rest], i) => {
    let above = heads[i];
    views.push(above);
    for (const page of rest) {
      above = open(page, { mode: 'split-bottom', ref: above.id });
      views.push(above);
    }
  });
  return views;
}

/** Open pages in one column, for want of room: what would stand side by side are tabs, the first one in front. */
export function stack<T extends Widget>(
  arrangement: Arrangement,
  start: IPlace,
  open: (page: string, place: IPlace) => T
): T[] {
  const views: T[] = [];
  const height = Math.max(0, ...arrangement.map(column => column.length));
  let place = start;
  for (let row = 0; row < height; row++) {
    const pages = arrangement.flatMap(column => column.slice(row, row + 1));
    const head = open(pages[0], place);
    const behind = pages
      .slice(1)
      .map(page => open(page, { mode: 'tab-after', ref: head.id, activate: false }));
    views.push(head, ...behind);
    place = { mode: 'split-bottom', ref: head.id };
  }
  return views;
}
