import { h, useEffect, useRef, useState } from '../jsx';
import type { Notes } from '../protocol/messages';

/** While the user types, nothing is requested. */
const PAUSE_MS = 300;

/** What the server says of a request before it is made. */
export interface IForeseen extends Notes {
  /** What was asked about, which may have changed since. */
  readonly request: unknown;
}

const NOTHING: IForeseen = { notes: [], demand: null, fields: [], request: null };

/** Ask what to know about a request, now and whenever it changes; nothing while it is not complete. */
export function useForeseen<T>(request: T | null, ask: (request: T) => Promise<Notes>): IForeseen {
  const [foreseen, setForeseen] = useState(NOTHING);
  const latest = useRef(ask);
  latest.current = ask;
  const text = request === null ? '' : JSON.stringify(request);
  useEffect(() => {
    let isWanted = true;
    const show = (found: IForeseen): void => {
      if (isWanted) {
        setForeseen(found);
      }
    };
    const timer = window.setTimeout(() => {
      if (text === '') {
        show(NOTHING);
        return;
      }
      const asked = JSON.parse(text) as T;
      latest.current(asked).then(
        found => show({ ...found, request: asked }),
        // Errors are shown when the request itself is made.
        () => show(NOTHING)
      );
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
    };
  }, [text]);
  return foreseen;
}

/** Sentences that are good to know. The list is there before they are, so that they are read out. */
export function NoteList({ notes }: { readonly notes: readonly string[] }): JSX.Element {
  return (
    <ul className="gpc-Notes" role="status" hidden={notes.length === 0}>
      {notes.map(note => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
