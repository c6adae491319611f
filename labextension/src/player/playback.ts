/** How often the position moves, in milliseconds. */
const TICK_MS = 100;

/** Where in a recording we are: it plays, pauses and seeks. */
export class Playback {
  /** `duration` in seconds; `onMoved` is called whenever the position has moved, or playing has begun or ended. */
  constructor(
    readonly duration: number,
    private readonly _onMoved: () => void
  ) {}

  /** How many times as fast as it was. */
  speed = 1;

  /** In seconds from the beginning. */
  get position(): number {
    return this._position;
  }

  get isPlaying(): boolean {
    return this._timer !== 0;
  }

  get isAtEnd(): boolean {
    return this._position >= this.duration;
  }

  /** Play from here; at the end, from the beginning. */
  play(): void {
    if (this.isPlaying) {
      return;
    }
    if (this.isAtEnd) {
      this._position = 0;
    }
    this._lookedAt = performance.now();
    this._timer = window.setInterval(() => this._tick(), TICK_MS);
    this._onMoved();
  }

  pause(): void {
    if (this.isPlaying) {
      this._stop();
      this._onMoved();
    }
  }

  seek(position: number): void {
    this._position = Math.min(this.duration, Math.max(0, position));
    this._onMoved();
  }

  dispose(): void {
    this._stop();
  }

  private _tick(): void {
    const now = performance.now();
    // A hidden page is woken up less often: what counts is the clock.
    const elapsed = ((now - this._lookedAt) / 1000) * this.speed;
    this._lookedAt = now;
    this._position = Math.min(this.duration, this._position + elapsed);
    if (this.isAtEnd) {
      this._stop();
    }
    this._onMoved();
  }

  private _stop(): void {
    window.clearInterval(this._timer);
    this._timer = 0;
  }

  private _position = 0;
  private _timer = 0;
  private _lookedAt = 0;
}
