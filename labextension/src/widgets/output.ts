/**
 * How a view and the output it stands in find each other.
 *
 * Our JupyterLab extension listens for these events; elsewhere nothing does, and nothing is lost.
 */

/** A view is in the page. A listener that keeps its picture calls `preventDefault`. */
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

/** Notify the page of a view; returns whether its picture is kept. */
export function announceView(el: HTMLElement): boolean {
  return !el.dispatchEvent(new CustomEvent(VIEW_EVENT, { bubbles: true, cancelable: true }));
}

/** Pass a message's picture on to its keeper. */
export function passPictureOn(el: HTMLElement, content: unknown): void {
  const picture = kindOf(content) === 'picture' ? pictureOf(content) : null;
  if (picture !== null && el.isConnected) {
    el.dispatchEvent(new CustomEvent(PICTURE_EVENT, { bubbles: true, detail: picture }));
  }
}

/** What a message is. */
export function kindOf(content: unknown): unknown {
  return ((content ?? {}) as { kind?: unknown }).kind;
}
