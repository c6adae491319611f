import React, { useEffect, useRef, useState } from 'react';

import { RefusedError } from '../clusters/restapi';
import type { FieldError } from '../protocol/messages';

/** While somebody types, nothing is asked. */
const PAUSE_MS = 300;

/** What the server says of a request before it is made. */
export interface IForeseen {
  readonly notes: readonly string[];
  readonly fields: readonly FieldError[];
}

const NOTHING: IForeseen = { notes: [], fields: [] };

/** Ask what to know about a request, now and whenever it changes; nothing while it is not complete. */
export function useForeseen<T>(
  request: T | null,
  ask: (request: T) => Promise<readonly string[]>
): IForeseen {
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
      latest.current(JSON.parse(text) as T).then(
        notes => show({ notes, fields: [] }),
        // Whatever else goes wrong is told when the request itself is made.
        (error: unknown) =>
          show({ notes: [], fields: error instanceof RefusedError ? error.fields : [] })
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
