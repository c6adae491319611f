import type { Chart } from './chart';

/** How much closer a step of the wheel, or a key, looks. */
export const ZOOM = 1.3;
/** A shorter drag is a click, in pixels. */
const DRAG_PIXELS = 5;

/** What a pointer over a chart asks for; times are on the chart's axis. */
export interface IPointing {
  timeOf(event: MouseEvent): number;
  /** Where the pointer is, and what is being dragged over; null: nowhere, nothing. */
  hover(time: number | null, brush: readonly [number, number] | null): void;
  click(time: number): void;
  /** Show only this. */
  fix(from: number, to: number): void;
  zoom(factor: number, time: number): void;
  /** Back to the newest moments. */
  newest(): void;
}

/** Tell what is done with the pointer over a chart: to look, to drag over a part, to click, to turn the wheel. */
export function watchPointer({ canvas }: Chart, pointing: IPointing): void {
  let start: { x: number; time: number } | null = null;
  let brush: readonly [number, number] | null = null;
  canvas.addEventListener('pointerdown', event => {
    start = { x: event.offsetX, time: pointing.timeOf(event) };
    canvas.setPointerCapture?.(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const time = pointing.timeOf(event);
    const isDragging = start !== null && Math.abs(event.offsetX - start.x) > DRAG_PIXELS;
    brush = isDragging && start !== null ? [start.time, time] : null;
    pointing.hover(time, brush);
  });
  canvas.addEventListener('pointerup', event => {
    const time = pointing.timeOf(event);
    if (brush !== null) {
      pointing.fix(...brush);
    } else if (start !== null) {
      pointing.click(time);
    }
    start = brush = null;
    pointing.hover(time, null);
  });
  canvas.addEventListener('pointerleave', () => pointing.hover(null, brush));
  canvas.addEventListener('dblclick', () => pointing.newest());
  canvas.addEventListener(
    'wheel',
    event => {
      // Without a key, the wheel goes down the page.
      if (event.ctrlKey || event.shiftKey || event.altKey) {
        event.preventDefault();
        const way = event.deltaY === 0 ? event.deltaX : event.deltaY;
        pointing.zoom(way > 0 ? ZOOM : 1 / ZOOM, pointing.timeOf(event));
      }
    },
    { passive: false }
  );
}
