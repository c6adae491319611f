import type { RefObject } from 'react';

import { useEffect, useRef } from '../jsx';

/**
 * Keep the focus in a list of cards when what had it is gone: at the head of the
 * list that it was in, such as the largest results, else at the card's title, else at what is left of the list of cards.
 * Without this, a keyboard starts at the top of the page again after each button that takes itself away.
 */
export function useKeptFocus(list: RefObject<HTMLElement>): void {
  const last = useRef<{
    element: HTMLElement;
    card: HTMLElement | null;
    part: HTMLElement | null;
  } | null>(null);
  useEffect(() => {
    // The list is looked up each time: while the clusters are not known yet, there is none.
    const note = (): void => {
      const element = document.activeElement as HTMLElement;
      last.current = list.current?.contains(element)
        ? {
            element,
            card: element.closest<HTMLElement>('.gpc-ClusterCard'),
            part: element.closest<HTMLElement>('.gpc-Disclosure')
          }
        : null;
    };
    // A button may have had the focus since it was drawn.
    note();
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [list]);
  // After each drawing: that is when buttons go.
  useEffect(() => {
    if (last.current === null) {
      return;
    }
    const { element, card, part } = last.current;
    const { activeElement } = document;
    const isNowhere = activeElement === document.body || activeElement === element;
    if (isNowhere && (!element.isConnected || element.matches(':disabled'))) {
      if (part?.isConnected) {
        // It stays in view: nothing scrolls.
        part.querySelector<HTMLElement>('.gpc-Disclosure-button')?.focus({ preventScroll: true });
        return;
      }
      const place = card?.isConnected ? card : list.current;
      place?.querySelector<HTMLElement>('h3, .gpc-mod-accept')?.focus();
    }
  });
}
