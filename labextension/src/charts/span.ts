/** The narrowest span that can be looked at, in seconds. */
const LEAST_SECONDS = 5;

/** Which stretch of time is looked at: the newest, which moves along, or a fixed one. */
export class Span {
  constructor(private _seconds: number) {}

  /** Whether it ends with the newest moment. */
  get isFollowing(): boolean {
    return this._fixed === null;
  }

  get seconds(): number {
    return this._fixed === null ? this._seconds : this._fixed[1] - this._fixed[0];
  }

  /** From when to when, given what there is. */
  range(last: number): readonly [number, number] {
    return this._fixed ?? [last - this._seconds, last];
  }

  /** Follow the newest moments again. */
  follow(seconds: number): void {
    this._fixed = null;
    this._seconds = seconds;
  }

  /** Look at this stretch. */
  fix(from: number, to: number): void {
    const middle = (from + to) / 2;
    const half = Math.max(LEAST_SECONDS, Math.abs(to - from)) / 2;
    this._fixed = [middle - half, middle + half];
  }

  /** Look closer, or from farther away; what is at `time` stays where it is. */
  zoom(factor: number, time: number, last: number): void {
    const [from, to] = this.range(last);
    const next = Math.max(LEAST_SECONDS, (to - from) * factor);
    const share = (time - from) / (to - from);
    this.fix(time - share * next, time + (1 - share) * next);
  }

  /** Go to earlier or later moments, by a share of what is seen. */
  move(share: number, last: number): void {
    const [from, to] = this.range(last);
    const way = (to - from) * share;
    if (to + way >= last) {
      this.follow(to - from);
    } else {
      this.fix(from + way, to + way);
    }
  }

  private _fixed: readonly [number, number] | null = null;
}
