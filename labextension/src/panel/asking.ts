import { h, useCallback, useEffect, useRef, useState, Fragment } from '../jsx';

/** What is under way and what went wrong with it. */
export interface IAsking {
  /** Name of the request that is under way. */
  readonly busy: string | null;
  /** What went wrong with the last one. */
  readonly error: unknown;
  /** Start a request; does nothing while one is under way. Tells whether it succeeded. */
  readonly run: (name: string, request: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

/** One request at a time: a double click is one click. */
export function useAsking(): IAsking {
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const current = useRef<string | null>(null);
  const run = useCallback(async (name: string, request: () => Promise<unknown>) => {
    // The state is a render late; the reference is not.
    if (current.current !== null) {
      return false;
    }
    current.current = name;
    setBusy(name);
    setError(null);
    try {
      await request();
      return true;
    } catch (reason) {
      setError(reason);
      return false;
    } finally {
      current.current = null;
      setBusy(null);
    }
  }, []);
  const clear = useCallback(() => setError(null), []);
  return { busy, error, run, clear };
}

/** The sentence of whatever was thrown. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === 'Failed to fetch' || text === 'NetworkError when attempting to fetch resource.'
    ? 'The Jupyter server does not respond.'
    : text;
}

/** What went wrong, read out at once; nothing where nothing did. */
export function Fault({ error }: { readonly error: unknown }): JSX.Element | null {
  return error === null
    ? null
    : h('p', { className: 'gpc-Error', role: 'alert' }, sentenceOf(error));
}

/** Draw again now and then, for what depends on the time. */
export function useTick(milliseconds: number): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) {
        setTick(tick => tick + 1);
      }
    }, milliseconds);
    return () => window.clearInterval(timer);
  }, [milliseconds]);
}

/** A phrase such as "must be a whole number" as a whole sentence. */
export function asSentence(phrase: string): string {
  const sentence = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

export interface ITickingProps {
  readonly milliseconds: number;
  readonly text: () => string;
}

/** Text that depends on the time: drawn again now and then, and nothing else with it. */
export function Ticking({ milliseconds, text }: ITickingProps): JSX.Element {
  useTick(milliseconds);
  return h(Fragment, null, text());
}
