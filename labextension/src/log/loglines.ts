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
