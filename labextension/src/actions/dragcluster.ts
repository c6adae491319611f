import { MimeData } from '@lumino/coreutils';
import { Drag } from '@lumino/dragdrop';

import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel } from '../protocol/messages';
import { connectCode } from './connect';

/** What a notebook takes as cells. */
const CELLS = 'application/vnd.jupyter.cells';

/** Pixels that the pointer moves before a press is a drag. */
const DISTANCE = 6;

/**
 * Let cards be dragged by their head, into a notebook: they become the cell that connects it.
 *
 * The button "Connect" does the same without a pointer.
 */
export function enableClusterDrag(panel: HTMLElement, manager: IClusterManager): void {
  let pressed: { x: number; y: number; cluster: ClusterModel; head: HTMLElement } | null = null;
  let drag: Drag | null = null;

  const onDown = (event: PointerEvent): void => {
    const target = event.target as Element;
    const head = target.closest<HTMLElement>('.gpc-ClusterCard-header');
    const id = head?.querySelector('h3')?.id.replace(/^gpucluster-/, '');
    const cluster = id === undefined ? undefined : manager.get(id);
    const isFree = event.button === 0;
    pressed =
      head && cluster && isFree ? { x: event.clientX, y: event.clientY, cluster, head } : null;
  };
  const onMove = (event: PointerEvent): void => {
    if (pressed === null || drag !== null) {
      return;
    }
    const { x, y, cluster, head } = pressed;
    if (Math.hypot(event.clientX - x, event.clientY - y) < DISTANCE) {
      return;
    }
    pressed = null;
    drag = startDrag(cluster, head, event, () => (drag = null));
  };
  const onUp = (): void => {
    pressed = null;
  };
  panel.addEventListener('pointerdown', onDown);
  document.addEventListener('pointermove', onMove);
  document.addEventListener('pointerup', onUp);
}

function startDrag(
  cluster: ClusterModel,
  head: HTMLElement,
  { clientX, clientY }: PointerEvent,
  onEnd: () => void
): Drag {
  const source = connectCode(cluster.name);
  // No text beside it: the editor of a cell would take that for itself, and there would be no new cell.
  const mimeData = new MimeData();
  mimeData.setData(CELLS, [
    { cell_type: 'code', source, metadata: {}, outputs: [], execution_count: null }
  ]);
  const dragImage = head.cloneNode(true) as HTMLElement;
  dragImage.classList.add('gpc-DragImage');
  const drag = new Drag({
    mimeData,
    dragImage,
    proposedAction: 'copy',
    supportedActions: 'copy',
    source: cluster
  });
  void drag.start(clientX, clientY).then(() => {
    drag.dispose();
    onEnd();
  });
  return drag;
}
