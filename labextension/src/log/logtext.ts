/** How serious a line of a log is. */
export type Level = 'debug' | 'info' | 'warning' | 'error';

const LEVELS: Readonly<Record<string, Level>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warning',
  ERROR: 'error',
  CRITICAL: 'error'
};

/** The level that a line names at its beginning; null for lines that go on with the one before, such as tracebacks. */
export function levelOf(line: string): Level | null {
  const word = /^.{0,80}?\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b/.exec(line)?.[1];
  if (word !== undefined) {
    return LEVELS[word];
  }
  return line.startsWith('Traceback (most recent call last)') ? 'error' : null;
}

/**
 * What is new in the end of a log that has just been read.
 *
 * Null when the end that was known is not in it: too much has been written meanwhile.
 */
export function newLines(
  known: readonly string[],
  fresh: readonly string[]
): readonly string[] | null {
  if (known.length === 0) {
    return fresh;
  }
  for (let end = fresh.length; end > 0; end--) {
    const length = Math.min(end, known.length);
    let same = 0;
    while (same < length && fresh[end - 1 - same] === known[known.length - 1 - same]) {
      same += 1;
    }
    if (same === length) {
      return fresh.slice(end);
    }
  }
  return null;
}

/** Where a text is in a line, whatever the case of its letters. */
export function occurrences(line: string, text: string): number[] {
  const found: number[] = [];
  const [where, what] = [line.toLowerCase(), text.toLowerCase()];
  // A letter may be longer in lower case; then the places are those of another text.
  if (what !== '' && where.length === line.length) {
    for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) {
      found.push(at);
    }
  }
  return found;
}

/** More lines than this are dropped at the beginning. */
const MOST_LINES = 20_000;

/** More occurrences than this are counted, but not marked all at once. */
const MOST_MARKS = 2_000;

interface IMatch {
  readonly line: HTMLElement;
  /** Which of the line's occurrences. */
  readonly nth: number;
}

/** The lines of a log: added at the end, coloured by level, searched. Knows nothing of where they come from. */
export class LogText {
  readonly node = document.createElement('div');

  constructor(label: string) {
    this.node.className = 'gpc-LogText';
    this.node.tabIndex = 0;
    this.node.setAttribute('role', 'log');
    // Hundreds of lines a minute must not be read out; users who want them move there.
    this.node.setAttribute('aria-live', 'off');
    this.node.setAttribute('aria-label', label);
  }

  get lines(): readonly string[] {
    return this._lines;
  }

  /** Occurrences of what is searched for. */
  get nMatches(): number {
    return this._matches.length;
  }

  /** The occurrence that is shown, counted from 1; 0: none. */
  get current(): number {
    return this._current + 1;
  }

  /** Whether the last line is in view. */
  get isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.node;
    return scrollTop + clientHeight >= scrollHeight - 4;
  }

  /** Take the end of the log. False when lines between it and what is known are missing. */
  take(fresh: readonly string[]): boolean {
    const added = newLines(this._lines, fresh);
    if (added !== null && added.length > 0) {
      this._append(added);
    }
    return added !== null;
  }

  /** Take a whole log. */
  replace(lines: readonly string[]): void {
    this._lines = [];
    this._level = null;
    this._matches = [];
    this.node.replaceChildren();
    this._append(lines);
  }

  scrollToEnd(): void {
    this.node.scrollTop = this.node.scrollHeight;
  }

  /** Search; an empty text ends the search. */
  search(text: string): void {
    this._unmark();
    this._text = text;
    this._matches = [];
    this._current = -1;
    for (const line of this._elements()) {
      this._find(line);
    }
    this._isMarked = this._matches.length <= MOST_MARKS;
    if (this._isMarked) {
      new Set(this._matches.map(match => match.line)).forEach(line => this._mark(line));
    }
  }

  /** Show the next occurrence, or the one before. */
  step(by: 1 | -1): void {
    const n = this._matches.length;
    if (n > 0) {
      const from = this._current < 0 && by < 0 ? 0 : this._current;
      this._show((from + by + n) % n);
    }
  }

  /** Show only lines in which the text occurs. */
  set isFiltered(isFiltered: boolean) {
    this.node.classList.toggle('gpc-mod-filtered', isFiltered && this._text !== '');
  }

  private _append(added: readonly string[]): void {
    this._lines = [...this._lines, ...added];
    const fragment = document.createDocumentFragment();
    const elements = added.map(text => {
      this._level = levelOf(text) ?? this._level;
      const line = document.createElement('div');
      line.className = 'gpc-LogLine';
      line.textContent = text;
      if (this._level !== null) {
        line.dataset.level = this._level;
      }
      fragment.append(line);
      return line;
    });
    this.node.append(fragment);
    if (this._text !== '') {
      for (const line of elements) {
        this._find(line);
        if (this._isMarked && line.dataset.found !== undefined) {
          this._mark(line);
        }
      }
    }
    this._trim();
  }

  private _trim(): void {
    const excess = this._lines.length - MOST_LINES;
    // While the user reads further up, the text stays where it is.
    if (excess > 0 && this.isAtEnd) {
      this._lines = this._lines.slice(excess);
      const dropped = new Set(this._elements().slice(0, excess));
      const kept = this._matches.filter(match => !dropped.has(match.line));
      this._current = Math.max(-1, this._current - (this._matches.length - kept.length));
      this._matches = kept;
      dropped.forEach(line => line.remove());
    }
  }

  private _elements(): HTMLElement[] {
    return Array.from(this.node.children) as HTMLElement[];
  }

  private _find(line: HTMLElement): void {
    const found = occurrences(line.textContent ?? '', this._text);
    if (found.length > 0) {
      line.dataset.found = '';
      found.forEach((_, nth) => this._matches.push({ line, nth }));
    }
  }

  private _show(index: number): void {
    const before = this._matches[this._current];
    const match = this._matches[index];
    this._current = index;
    if (!this._isMarked && before !== undefined && before.line !== match.line) {
      before.line.textContent = before.line.textContent ?? '';
    }
    this.node.querySelector('.gpc-mod-current')?.classList.remove('gpc-mod-current');
    if (match.line.querySelector('mark') === null) {
      this._mark(match.line);
    }
    const mark = match.line.querySelectorAll('mark')[match.nth];
    mark?.classList.add('gpc-mod-current');
    mark?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  private _mark(line: HTMLElement): void {
    const text = line.textContent ?? '';
    const parts: (string | Node)[] = [];
    let from = 0;
    for (const at of occurrences(text, this._text)) {
      const mark = document.createElement('mark');
      mark.textContent = text.slice(at, at + this._text.length);
      parts.push(text.slice(from, at), mark);
      from = at + this._text.length;
    }
    line.replaceChildren(...parts, text.slice(from));
  }

  private _unmark(): void {
    for (const line of new Set(this._matches.map(match => match.line))) {
      delete line.dataset.found;
      if (line.firstElementChild !== null) {
        line.textContent = line.textContent ?? '';
      }
    }
  }

  private _lines: readonly string[] = [];
  private _level: Level | null = null;
  private _text = '';
  private _matches: IMatch[] = [];
  private _current = -1;
  private _isMarked = true;
}
