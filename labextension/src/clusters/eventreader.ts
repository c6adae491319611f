import type { Event } from '../protocol/messages';

/**
 * Turns messages of the event stream into events, in the order of the messages.
 *
 * Long messages come as gzip and take a moment to unpack; what comes after them waits for them.
 */
export class EventReader {
  constructor(private readonly _deliver: (event: Event) => void) {}

  /** Take a message: text, or gzip of text. */
  take(data: unknown): void {
    if (typeof data === 'string' && this._nWaiting === 0) {
      this._hand(readEvent(data));
      return;
    }
    const event =
      typeof data === 'string' ? readEvent(data) : unpack(data as ArrayBuffer).then(readEvent);
    this._nWaiting += 1;
    this._last = this._last.then(async () => {
      const next = await event;
      this._nWaiting -= 1;
      this._hand(next);
    });
  }

  /** Deliver nothing any more. */
  close(): void {
    this._isClosed = true;
  }

  private _hand(event: Event | null): void {
    if (event !== null && !this._isClosed) {
      this._deliver(event);
    }
  }

  private _last: Promise<void> = Promise.resolve();
  private _nWaiting = 0;
  private _isClosed = false;
}

async function unpack(data: ArrayBuffer): Promise<string | null> {
  try {
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'));
    return await new Response(stream).text();
  } catch (error) {
    console.error('A message from gpucluster could not be decoded.', error);
    return null;
  }
}

function readEvent(data: string | null): Event | null {
  try {
    const event: unknown = data === null ? null : JSON.parse(data);
    return typeof event === 'object' && event !== null && 'kind' in event ? (event as Event) : null;
  } catch {
    return null;
  }
}
