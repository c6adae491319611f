import { EventReader } from '../../clusters/eventreader';
import type { Event, SharedEvent } from '../../protocol/messages';

const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The server closes with this when there is nothing to see any more. */
const OVER_CODE = 4001;

export interface IStreamListener {
  onEvent(event: SharedEvent): void;
  /** The connection is gone; whether it may come back has to be asked. Resolves to whether it is tried again. */
  onLost(): Promise<boolean>;
}

/** The WebSocket of a shared view; opens itself again for as long as that may help. */
export class SharedStream {
  constructor(private readonly _listener: IStreamListener) {
    this._open();
  }

  close(): void {
    this._isClosed = true;
    window.clearTimeout(this._timer);
    this._socket?.close();
  }

  private _open(): void {
    const url = new URL('events', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.hash = '';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    const reader = new EventReader((event: Event) => {
      this._wait = SHORTEST_WAIT_MS;
      this._listener.onEvent(event as unknown as SharedEvent);
    });
    socket.onmessage = message => reader.take(message.data);
    socket.onclose = ({ code }) => {
      if (!this._isClosed && code !== OVER_CODE) {
        void this._again();
      }
    };
    this._socket = socket;
  }

  private async _again(): Promise<void> {
    if ((await this._listener.onLost()) && !this._isClosed) {
      this._timer = window.setTimeout(() => this._open(), this._wait);
      this._wait = Math.min(2 * this._wait, LONGEST_WAIT_MS);
    }
  }

  private _socket: WebSocket | null = null;
  private _timer = 0;
  private _wait = SHORTEST_WAIT_MS;
  private _isClosed = false;
}
