/** So long the scripts of a frame may draw, in milliseconds: the browser needs the rest of its 16 to lay out and paint. */
const BUDGET_MS = 5;

const readers = new Set<() => void>();
const writers = new Set<() => void>();
let frame = 0;

/**
 * Draw in the next frame that has room; asked for twice, it is done once.
 *
 * What looks up a style or a size is a reader: it goes first in a frame, and alone of its kind, as the answer costs a
 * layout once something has been written.
 */
export function inFrame(draw: () => void, isReader = false): void {
  (isReader ? readers : writers).add(draw);
  frame ||= requestAnimationFrame(run);
}

/** Do not draw it after all. */
export function notInFrame(draw: () => void): void {
  readers.delete(draw);
  writers.delete(draw);
  if (readers.size + writers.size === 0) {
    cancelAnimationFrame(frame);
    frame = 0;
  }
}

function run(): void {
  const due = [...[...readers].slice(0, 1), ...writers];
  const end = performance.now() + BUDGET_MS;
  // Asked for first: whatever one of them throws, the others are drawn.
  frame = requestAnimationFrame(run);
  for (const draw of due) {
    notInFrame(draw);
    draw();
    if (performance.now() > end) {
      return;
    }
  }
}
