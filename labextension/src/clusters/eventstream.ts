import type { ServerConnection } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { Event } from '../protocol/messages';
import { EventReader } from './eventreader';
import { eventsUrl } from './restapi';

/** The WebSocket of events: opens itself again, waiting longer after each failure. */
export class EventStream implements IDisposable {
  constructor(options: EventStream.IOptions) {
    this._settings = options.serverSettings;
    this._shortest = options.shortestWait ?? 500;
    this._longest = options.longestWait ?? 30_000;
    this._wait = this._shortest;
  }

  /** Emitted for each event. */
  readonly received = new Signal<this, Event>(this);

  /** Emitted when the stream has opened or closed. */
  readonly openChanged = new Signal<this, boolean>(this);

  isOpen = false;

  isDisposed = false;

  /** Open, unless it is open or opening. */
  start(): void {
    if (this.isDisposed || this._wanted) {
      return;
    }
    this._wanted = true;
    this._open();
  }

  /** Close, and stay closed until the next `start`. */
  stop(): void {
    this._wanted = false;
    window.clearTimeout(this._timer);
    this._close();
    this._wait = this._shortest;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.isDisposed = true;
    this.stop();
    Signal.clearData(this);
  }

  private _open(): void {
    const socket = new this._settings.WebSocket(eventsUrl(this._settings));
    const reader = new EventReader(event => this.received.emit(event));
    socket.binaryType = 'arraybuffer';
    this._socket = socket;
    this._reader = reader;
    socket.onmessage = message => {
      // The first message is the proof: a proxy may accept a socket and let it die.
      this._wait = this._shortest;
      this._setOpen(true);
      reader.take(message.data);
    };
    socket.onclose = () => {
      this._close();
      if (this._wanted) {
        // Spread out, so that thirty browsers do not come back at the same moment.
        const wait = this._wait * (0.75 + Math.random() / 2);
        this._wait = Math.min(this._wait * 2, this._longest);
        this._timer = window.setTimeout(() => this._open(), wait);
      }
    };
  }

  private _close(): void {
    const socket = this._socket;
    this._socket = null;
    this._reader?.close();
    this._reader = null;
    if (socket !== null) {
      socket.onmessage = null;
      socket.onclose = null;
      socket.onerror = () => undefined;
      socket.close();
    }
    this._setOpen(false);
  }

  private _setOpen(isOpen: boolean): void {
    if (this.isOpen !== isOpen) {
      this.isOpen = isOpen;
      this.openChanged.emit(isOpen);
    }
  }

  private readonly _settings: ServerConnection.ISettings;
  private readonly _shortest: number;
  private readonly _longest: number;
  private _socket: WebSocket | null = null;
  private _reader: EventReader | null = null;
  private _timer = 0;
  private _wait: number;
  private _wanted = false;
}

export namespace EventStream {
  export interface IOptions {
    serverSettings: ServerConnection.ISettings;
    /** Milliseconds before the first new try. */
    shortestWait?: number;
    /** Milliseconds between tries at most. */
    longestWait?: number;
  }
}
