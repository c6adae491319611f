/**
 * How a view and the output it stands in find each other.
 *
 * Our JupyterLab extension listens for these events; elsewhere nobody does, and nothing is lost.
 */

/** A view is in the page. Whoever keeps its picture calls `preventDefault`. */
export const VIEW_EVENT = 'gpucluster-view';
/** A view is gone; sent to its own element, which has left the page. */
export const GONE_EVENT = 'gpucluster-gone';
/** A new picture of what the view shows, to be saved with the notebook. */
export const PICTURE_EVENT = 'gpucluster-picture';

/** The picture. */
export interface IPicture {
  readonly html: string;
  readonly text: string;
}

/** The picture in an event or a message; null when it holds none. */
export function pictureOf(value: unknown): IPicture | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const { html, text } = value as Record<string, unknown>;
  return typeof html === 'string' && typeof text === 'string' ? { html, text } : null;
}
