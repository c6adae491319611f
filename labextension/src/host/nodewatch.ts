import { Poll } from '@lumino/polling';

import { useEffect, useRef, useState } from '../jsx';

interface IWatched<T, E extends HTMLElement> {
  /** What was read last; null: nothing yet. */
  readonly last: T | null;
  /** Read again, now. */
  readonly refresh: () => void;
  /** What has to be seen so that it is read. */
  readonly place: { current: E | null };
}

/** Read something now and then, as long as a place of the page is seen. */
export function useWhileSeen<T, E extends HTMLElement>(
  read: () => Promise<T>,
  milliseconds: number
): IWatched<T, E> {
  const place = useRef<E>(null);
  const poll = useRef<Poll | null>(null);
  const [last, setLast] = useState<T | null>(null);
  useEffect(() => {
    let isSeen = true;
    const reading = new Poll({
      // Where the server does not respond, the list says so.
      factory: () => read().then(setLast, () => undefined),
      frequency: { interval: milliseconds, backoff: false },
      standby: () => document.hidden || !isSeen
    });
    poll.current = reading;
    const sight =
      typeof IntersectionObserver === 'undefined'
        ? null
        : new IntersectionObserver(entries => {
            const isNew = !isSeen;
            isSeen = entries[entries.length - 1].isIntersecting;
            if (isSeen && isNew) {
              void reading.refresh();
            }
          });
    if (place.current !== null) {
      sight?.observe(place.current);
    }
    return () => {
      sight?.disconnect();
      reading.dispose();
    };
  }, [read, milliseconds]);
  return { last, place, refresh: () => void poll.current?.refresh() };
}
